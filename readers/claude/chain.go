package claude

import "hindsql/tables"

// chain is the tree that parentUuid makes of a transcript's lines.
type chain struct {
	parent  map[string]string // of lines that became messages
	passed  map[string]string // of lines that didn't: progress, attachments
	order   []string          // uuids of messages, in file order
	prompts map[string]string // last prompt by its visible parent
	left    map[string]bool   // prompts that were typed anew from the same place
}

// pass notes a line that parents may name though it is no message.
func (c *chain) pass(r *record) {
	if r.uuid == "" {
		return
	}
	if c.passed == nil {
		c.passed = map[string]string{}
	}
	c.passed[r.uuid] = r.parent
}

// add notes a message. A second prompt with the same parent rewinds the
// conversation to there, and leaves the branch of the first (FORMAT.md §2.4).
func (c *chain) add(r *record, m *tables.Message) {
	if c.parent == nil {
		c.parent, c.prompts, c.left = map[string]string{}, map[string]string{}, map[string]bool{}
	}
	parent := c.visible(r.parent)
	if m.Kind == tables.KindPrompt && parent != "" && c.has(parent) && !r.sidechain {
		if before := c.prompts[parent]; before != "" && before != r.uuid {
			c.left[before] = true
		}
		c.prompts[parent] = r.uuid
	}
	c.parent[r.uuid] = parent
	c.order = append(c.order, r.uuid)
}

func (c *chain) has(uuid string) bool {
	_, ok := c.parent[uuid]
	return ok
}

// knows says whether any line had the uuid.
func (c *chain) knows(uuid string) bool {
	_, ok := c.passed[uuid]
	return ok || c.has(uuid)
}

// maxPassed bounds a walk over lines that damaged logs may tie in a ring.
const maxPassed = 10000

// visible is the nearest line at or above uuid that isn't known to be no message.
func (c *chain) visible(uuid string) string {
	for range maxPassed {
		parent, ok := c.passed[uuid]
		if !ok {
			break
		}
		uuid = parent
	}
	return uuid
}

// abandoned are the uuids on branches that were left.
func (c *chain) abandoned() []string {
	if len(c.left) == 0 {
		return nil
	}
	var uuids []string
	for _, uuid := range c.order {
		if c.left[uuid] || c.left[c.parent[uuid]] {
			c.left[uuid] = true
			uuids = append(uuids, uuid)
		}
	}
	return uuids
}

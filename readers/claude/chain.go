package claude

import "hindsql/tables"

// chain is the tree that parentUuid makes of a transcript's lines.
type chain struct {
	parent  map[string]link   // of lines that became messages: what stands above
	passed  skips             // lines that didn't: progress, attachments
	order   []string          // uuids of messages, in file order
	prompts map[string]string // last prompt by its visible parent
	left    map[string]bool   // prompts that were typed anew from the same place
}

// link is what the chain knows of a message: the one above it, and whether the
// model said it.
type link struct {
	parent  string
	answers bool
}

// pass notes a line that parents may name though it is no message.
func (c *chain) pass(r *record) {
	if r.uuid == "" {
		return
	}
	if c.passed == nil {
		c.passed = skips{}
	}
	c.passed.add(r.uuid, r.parent)
}

// skips are lines that are no message, and what stands above each. A damaged
// log may have them by the thousand in a row, and ask for each of them: every
// walk shortens the way for those after it.
type skips map[string]string

// add notes a line, as it was first met.
func (s skips) add(uuid, parent string) {
	if _, known := s[uuid]; known {
		return
	}
	top := s.top(parent)
	if top == uuid {
		top = "" // a damaged log tied a ring
	}
	s[uuid] = top
}

// top is the nearest line at or above uuid that is none of them; empty where
// there is none.
func (s skips) top(uuid string) string {
	top := uuid
	for parent, ok := s[top]; ok; parent, ok = s[top] {
		top = parent
	}
	for uuid != top {
		uuid, s[uuid] = s[uuid], top
	}
	return top
}

// add notes a message. A second prompt with the same parent rewinds the
// conversation to there, and leaves the branch of the first (FORMAT.md §2.4).
func (c *chain) add(r *record, m *tables.Message) {
	if c.parent == nil {
		c.parent, c.prompts, c.left = map[string]link{}, map[string]string{}, map[string]bool{}
	}
	parent := c.visible(r.parent)
	if m.Kind == tables.KindPrompt && parent != "" && c.has(parent) && !r.sidechain {
		if before := c.prompts[parent]; before != "" && before != r.uuid {
			c.left[before] = true
		}
		c.prompts[parent] = r.uuid
	}
	c.parent[r.uuid] = link{parent, m.Kind == tables.KindResponse}
	c.order = append(c.order, r.uuid)
}

func (c *chain) has(uuid string) bool {
	_, ok := c.parent[uuid]
	return ok
}

// answers says whether a line is of the model's answer.
func (c *chain) answers(uuid string) bool { return c.parent[uuid].answers }

// knows says whether any line had the uuid.
func (c *chain) knows(uuid string) bool {
	_, ok := c.passed[uuid]
	return ok || c.has(uuid)
}

// visible is the nearest line at or above uuid that isn't known to be no message.
func (c *chain) visible(uuid string) string { return c.passed.top(uuid) }

// abandoned are the uuids on branches that were left.
func (c *chain) abandoned() []string {
	if len(c.left) == 0 {
		return nil
	}
	var uuids []string
	for _, uuid := range c.order {
		if c.left[uuid] || c.left[c.parent[uuid].parent] {
			c.left[uuid] = true
			uuids = append(uuids, uuid)
		}
	}
	return uuids
}

package claude

import "hindsql/tables"

// chain is the tree of a transcript's lines, by parentUuid.
type chain struct {
	parent  map[string]link   // of each message
	passed  skips             // other lines: progress, attachments
	order   []string          // uuids of messages, in file order
	prompts map[string]string // last prompt by its visible parent
	left    map[string]bool   // prompts replaced by a later prompt at the same place
}

// link holds the parent of a message, and whether the model wrote the message.
type link struct {
	parent  string
	answers bool
}

// pass notes a line that is no message but may be a parent.
func (c *chain) pass(r *record) {
	if r.uuid == "" {
		return
	}
	if c.passed == nil {
		c.passed = skips{}
	}
	c.passed.add(r.uuid, r.parent)
}

// skips maps lines that are no messages to the line above each. A damaged log may have
// thousands of them in a row, and a query for each. So every walk shortens the path for
// later walks.
type skips map[string]string

// add notes a line when it is first met.
func (s skips) add(uuid, parent string) {
	if _, known := s[uuid]; known {
		return
	}
	top := s.top(parent)
	if top == uuid {
		top = "" // a ring in a damaged log
	}
	s[uuid] = top
}

// top returns the nearest message at or above uuid; empty if the walk meets no message.
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

// add notes a message. A second prompt with the same parent rewinds the conversation to
// that parent, and abandons the first prompt's branch (FORMAT.md §2.4).
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

// answers reports whether a line is part of the model's answer.
func (c *chain) answers(uuid string) bool { return c.parent[uuid].answers }

// knows reports whether any line had the uuid.
func (c *chain) knows(uuid string) bool {
	_, ok := c.passed[uuid]
	return ok || c.has(uuid)
}

// visible returns the nearest line at or above uuid, without lines known to be no
// message.
func (c *chain) visible(uuid string) string { return c.passed.top(uuid) }

// abandoned returns the uuids on abandoned branches.
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

package claude

import "hindsql/tables"

// chain is the tree of a transcript's lines. A line's parentUuid names the line above
// it.
type chain struct {
	lines            map[string]*link // each message's, by uuid
	linkArena        tables.Arena[link]
	passed           skips             // lines that are no messages, for example progress and attachments
	order            []string          // uuids of messages, in file order
	prompts          map[string]string // last prompt after each message, by the message's uuid
	abandonedPrompts map[string]bool   // uuids of abandoned prompts: a later prompt has the same parent
}

// link holds the parent of a message, whether the model wrote the message, and the batch
// of its calls or results, if it has any.
type link struct {
	parent     string
	batch      string
	isResponse bool
}

// addSkipped adds a line that is no message. It may still be the parent of a message.
func (c *chain) addSkipped(r *record) {
	if r.uuid == "" {
		return
	}
	if c.passed == nil {
		c.passed = skips{}
	}
	c.passed.add(r.uuid, r.parent)
}

// skips maps each line that is no message to the line above it. A damaged log may have
// thousands of such lines in a row, and a lookup for each. So every lookup shortens the
// path for later lookups.
type skips map[string]string

// add adds a line and its parent. It ignores a line that it already knows.
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

// top returns uuid if it is no skipped line, otherwise the nearest line above that is
// not skipped. The result is empty if the path ends first.
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

// add adds a message. If it is a prompt with the same parent as an earlier prompt, the
// user went back to that parent and abandoned the earlier prompt's branch (FORMAT.md
// §2.4).
func (c *chain) add(r *record, m *tables.Message) {
	if c.lines == nil {
		c.lines, c.prompts, c.abandonedPrompts = map[string]*link{}, map[string]string{}, map[string]bool{}
	}
	parent := c.nearestMessage(r.parent)
	if m.Kind == tables.KindPrompt && parent != "" && c.hasMessage(parent) && !r.sidechain {
		if before := c.prompts[parent]; before != "" && before != r.uuid {
			c.abandonedPrompts[before] = true
		}
		c.prompts[parent] = r.uuid
	}
	l := c.linkOf(r.uuid)
	l.parent, l.isResponse = parent, m.Kind == tables.KindResponse
	c.order = append(c.order, r.uuid)
}

// linkOf returns the link of a message, and makes a missing one.
func (c *chain) linkOf(uuid string) *link {
	if l := c.lines[uuid]; l != nil {
		return l
	}
	l := c.linkArena.New()
	c.lines[uuid] = l
	return l
}

// setBatch records the batch of a message's calls or results.
func (c *chain) setBatch(r *record, batch string) {
	if l := c.lines[r.uuid]; l != nil && r.uuid != "" {
		l.batch = batch
	}
}

// batchOf returns the batch of a message's calls or results, or an empty one.
func (c *chain) batchOf(uuid string) string {
	if l := c.lines[uuid]; l != nil {
		return l.batch
	}
	return ""
}

func (c *chain) hasMessage(uuid string) bool { return c.lines[uuid] != nil }

// isResponse reports whether the line with this uuid is a response of the model.
func (c *chain) isResponse(uuid string) bool {
	l := c.lines[uuid]
	return l != nil && l.isResponse
}

// hasLine reports whether any line had the uuid.
func (c *chain) hasLine(uuid string) bool {
	_, ok := c.passed[uuid]
	return ok || c.hasMessage(uuid)
}

// nearestMessage returns uuid, or the nearest line above it, skipping lines that are no
// messages.
func (c *chain) nearestMessage(uuid string) string { return c.passed.top(uuid) }

// abandoned returns the uuids of the messages on branches that the user abandoned.
func (c *chain) abandoned() []string {
	if len(c.abandonedPrompts) == 0 {
		return nil
	}
	var uuids []string
	for _, uuid := range c.order {
		if c.abandonedPrompts[uuid] || c.abandonedPrompts[c.lines[uuid].parent] {
			c.abandonedPrompts[uuid] = true
			uuids = append(uuids, uuid)
		}
	}
	return uuids
}

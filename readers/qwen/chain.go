package qwen

// chain is the tree of a session's lines. A line's parentUuid names the line before. After
// a rewind it names an earlier line (FORMAT.md §6.3).
type chain struct {
	lines         []line
	byUUID        map[string]int    // made at the first line that doesn't follow the line before
	messageUUIDs  map[string]string // uuids of messages that aren't those of their lines, by the line's
	jumped        bool              // a line followed an earlier line
	parentMissing bool              // the parent of the last line is missing
	repeated      bool              // the last line was there before
}

// line is a line of the tree. Lines are named by their places; -1 is none.
type line struct {
	uuid       string
	parent     int32
	above      int32 // nearest message above
	hasMessage bool  // the line has a message
}

// add adds a line, and returns the uuid of the nearest message above it. A parent that is
// missing was on a damaged line; then the line follows the line before. root is true if a
// line without a parent may begin anew.
func (c *chain) add(uuid string, parent []byte, root bool) (above string) {
	last := len(c.lines) - 1
	at := last
	c.parentMissing, c.repeated = false, false
	switch {
	case last < 0, len(parent) > 0 && c.lines[last].uuid == string(parent):
	case uuid == c.lines[last].uuid || c.indexOf(uuid) >= 0:
		c.repeated = true
		return c.message(int(c.lines[c.indexOf(uuid)].above))
	case len(parent) == 0 && root:
		at = -1
	case len(parent) > 0:
		named := c.indexOf(string(parent))
		if c.parentMissing = named < 0; !c.parentMissing {
			at = named
		}
	}
	c.jumped = c.jumped || at != last
	next := line{uuid: uuid, parent: int32(at), above: int32(at)}
	if at >= 0 && !c.lines[at].hasMessage {
		next.above = c.lines[at].above
	}
	if c.byUUID != nil {
		c.byUUID[uuid] = len(c.lines)
	}
	c.lines = append(c.lines, next)
	return c.message(int(next.above))
}

// indexOf returns the place of a line, or -1.
func (c *chain) indexOf(uuid string) int {
	if c.byUUID == nil {
		c.byUUID = map[string]int{}
		for i, l := range c.lines {
			c.byUUID[l.uuid] = i
		}
	}
	if at, ok := c.byUUID[uuid]; ok {
		return at
	}
	return -1
}

// message returns the uuid of a line's message; empty for no line.
func (c *chain) message(at int) string {
	if at < 0 {
		return ""
	}
	uuid := c.lines[at].uuid
	if other, ok := c.messageUUIDs[uuid]; ok {
		return other
	}
	return uuid
}

// setMessage records that a line has a message. Nearly always it is the last line.
func (c *chain) setMessage(line, message string) {
	at := len(c.lines) - 1
	if at >= 0 && c.lines[at].uuid != line {
		at = c.indexOf(line)
	}
	if at < 0 {
		return
	}
	if c.lines[at].hasMessage = true; line != message {
		if c.messageUUIDs == nil {
			c.messageUUIDs = map[string]string{}
		}
		c.messageUUIDs[line] = message
	}
}

// abandoned returns the messages that are not on the path from the last line to its root.
func (c *chain) abandoned() (uuids []string) {
	if !c.jumped {
		return nil
	}
	active := make([]bool, len(c.lines))
	for at := len(c.lines) - 1; at >= 0; at = int(c.lines[at].parent) {
		active[at] = true
	}
	for i, l := range c.lines {
		if !active[i] && l.hasMessage {
			uuids = append(uuids, c.message(i))
		}
	}
	return uuids
}

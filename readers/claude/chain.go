package claude

import (
	"slices"
	"strings"
	"time"

	"hindsql/readers"
	"hindsql/tables"
)

// chain is the tree of a transcript's lines. A line's parentUuid names the line above
// it.
type chain struct {
	lines       map[string]*link // each message's, by uuid
	linkArena   tables.Arena[link]
	passed      skips               // lines that are no messages, for example progress and attachments
	order       []string            // uuids of messages, in file order
	prompts     map[string][]string // prompts and commands by the place where they hang, see link
	isFlat      bool                // an answer has no line above it, so that the lines make no tree
	leaf        string              // the last leaf that Claude Code recorded
	leafAt      int                 // number of messages before the record of the leaf
	unanswered  []asked             // prompts and commands since the last answer
	maybeBack   []asked             // prompts that a person may have withdrawn
	lastWritten time.Time           // time of the last line
}

// link holds what the chain knows of a message.
type link struct {
	parent string
	place  string // where a prompt below hangs: at the message, or, if Claude Code put the message before the prompt, above it
	batch  string // of the message's calls or results, if it has any
	kind   string
	index  int
}

// asked is a prompt or a command without an answer so far.
type asked struct {
	uuid    string
	isAsked bool      // the model is asked: it is a prompt, or a command with a text for the model below
	last    time.Time // of the last line before the next prompt
}

// addSkipped adds a line that is no message. It may still be the parent of a message.
func (c *chain) addSkipped(r *record) {
	c.lastWritten = r.at
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
// not skipped. If the path ends first, it is the path's first line.
func (s skips) top(uuid string) string {
	top := uuid
	for parent := s[top]; parent != ""; parent = s[top] {
		top = parent
	}
	for uuid != top {
		uuid, s[uuid] = s[uuid], top
	}
	return top
}

// add adds a message.
func (c *chain) add(r *record, m *tables.Message) {
	if c.lines == nil {
		c.lines, c.prompts = map[string]*link{}, map[string][]string{}
	}
	parent, isNew := c.nearestMessage(r.parent), c.lines[r.uuid] == nil
	l, place, above := c.linkOf(r.uuid), parent, c.lines[parent]
	if above != nil {
		place = above.place
	}
	l.parent, l.kind, l.index, l.place = parent, m.Kind, len(c.order), r.uuid
	c.order = append(c.order, r.uuid)
	switch {
	case r.sidechain || r.uuid == "":
	case m.Kind == tables.KindResponse:
		c.unanswered, c.isFlat = c.unanswered[:0], c.isFlat || r.parent == ""
	case m.Kind == tables.KindInjected && r.GetBool("isMeta"):
		l.place = place
		if n := len(c.unanswered); n > 0 && c.unanswered[n-1].uuid == parent {
			c.unanswered[n-1].isAsked = true
		}
	case isNew && (m.Kind == tables.KindPrompt || m.Kind == tables.KindCommand):
		c.addPrompt(m, place, above != nil)
	}
	c.lastWritten = r.at
}

// addPrompt adds a prompt or a command that hangs at a place. The place may be missing in
// a file.
func (c *chain) addPrompt(m *tables.Message, place string, isMessage bool) {
	if n := len(c.unanswered); n > 0 {
		c.unanswered[n-1].last = c.lastWritten
	}
	c.unanswered = append(c.unanswered, asked{uuid: m.UUID, isAsked: m.Kind == tables.KindPrompt})
	switch _, isSkipped := c.passed[place]; {
	case m.Kind == tables.KindCommand && isClear(firstWord(m.Text)):
		c.begin()
	case isMessage || isSkipped || place == "":
		c.prompts[place] = append(c.prompts[place], m.UUID)
	}
}

// begin begins a conversation without a line above it in a file that had another one.
func (c *chain) begin() { delete(c.prompts, "") }

// addLeaf handles a line of kind last-prompt. It names the last line of the conversation
// that a resume would go on with. If a person withdrew a prompt before an answer, an
// explicit line without such a leaf follows the next prompt (FORMAT.md §2.4).
func (c *chain) addLeaf(r *record) {
	if leaf := readers.Text(r.Value, "leafUuid"); strings.Trim(leaf, "0-") != "" {
		c.leaf, c.leafAt = leaf, len(c.order)
	} else if n := len(c.unanswered) - 1; n > 0 && r.GetBool("explicit") {
		c.maybeBack = append(c.maybeBack, c.unanswered[:n]...)
		c.unanswered = slices.Clone(c.unanswered[n:])
	}
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
	return l != nil && l.kind == tables.KindResponse
}

// hasLine reports whether any line had the uuid.
func (c *chain) hasLine(uuid string) bool {
	_, ok := c.passed[uuid]
	return ok || c.hasMessage(uuid)
}

// nearestMessage returns uuid, or the nearest message above it. Without one, it is the
// first of the lines above.
func (c *chain) nearestMessage(uuid string) string { return c.passed.top(uuid) }

// abandoned returns the uuids of the messages on branches that the user abandoned, and
// the prompts that the user withdrew before an answer.
func (c *chain) abandoned() (uuids []string, withdrawn []asked) {
	left, kept := map[string]bool{}, c.aboveLeaf()
	for place, prompts := range c.prompts {
		last := prompts[len(prompts)-1]
		if len(prompts) == 1 || c.isFlat && !c.hasMessage(place) {
			continue
		}
		active := last
		for _, uuid := range prompts {
			if kept[uuid] && c.leafAt > c.lines[last].index { // an older leaf doesn't know of the last prompt
				active = uuid
			}
			left[uuid] = true
		}
		delete(left, active)
	}
	withdrawn = c.withdrawn(kept)
	for _, p := range withdrawn {
		left[p.uuid] = true
	}
	if len(left) == 0 {
		return nil, nil
	}
	for _, uuid := range c.order {
		if left[uuid] || left[c.lines[uuid].parent] {
			left[uuid] = true
			uuids = append(uuids, uuid)
		}
	}
	return uuids, withdrawn
}

// aboveLeaf returns the messages from the recorded leaf upwards, by uuid.
func (c *chain) aboveLeaf() map[string]bool {
	kept := map[string]bool{}
	for uuid := c.nearestMessage(c.leaf); c.hasMessage(uuid) && !kept[uuid]; uuid = c.lines[uuid].parent {
		kept[uuid] = true
	}
	return kept
}

// withdrawn returns the prompts that the user withdrew: those that may be, and are neither
// above the recorded leaf (kept) nor above an answer, a marker or a further prompt.
func (c *chain) withdrawn(kept map[string]bool) (list []asked) {
	if len(c.maybeBack) == 0 {
		return nil
	}
	tops := map[string]string{} // the prompt above each line, by uuid
	for _, p := range c.maybeBack {
		if p.isAsked && !kept[p.uuid] {
			tops[p.uuid] = p.uuid
		}
	}
	for _, uuid := range c.order {
		l := c.lines[uuid]
		switch top := tops[l.parent]; {
		case top == "":
		case l.kind == tables.KindResponse, l.kind == tables.KindInterruption, l.kind == tables.KindPrompt, l.kind == tables.KindCommand:
			delete(tops, top)
		default:
			tops[uuid] = top
		}
	}
	for _, p := range c.maybeBack {
		if tops[p.uuid] == p.uuid {
			list = append(list, p)
		}
	}
	return list
}

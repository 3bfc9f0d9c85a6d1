package claude

import (
	"slices"
	"strings"
	"time"

	"hindsql/readers"
	"hindsql/readers/claudefiles"
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
	isFlat      bool                // an answer has no line above it: the lines make no tree
	leaf        string              // the last line of the conversation, as the log has it after the last rewind
	unanswered  []asked             // prompts and commands since the last answer
	maybeBack   []asked             // prompts that a person may have withdrawn
	lastWritten time.Time           // time of the last line
}

// link holds what the chain knows of a message.
type link struct {
	parent     string
	place      string // where a prompt below hangs: at the message, or, if Claude Code put the message before the prompt, above it
	prompt     *link  // the message itself, or the nearest above, that is a prompt or a command
	batch      string // of the message's calls or results, if it has any
	isResponse bool
	hasAnswer  bool // an answer, the final error in its place, a marker or a further prompt stands below the prompt
}

// asked is a prompt or a command.
type asked struct {
	uuid    string
	isAsked bool      // the model is asked: it is a prompt, or a command with a text for the model below
	last    time.Time // time of the last line before the next prompt
}

// withdrawal returns the interruption by which a person withdrew a prompt: Esc, before an
// answer began (FORMAT.md §2.4).
func (p asked) withdrawal() *tables.Interruption {
	return &tables.Interruption{
		MessageUUID: p.uuid, Type: tables.InterruptedByUser, Phase: tables.PhaseResponse, CutNothing: true,
		Evidence: tables.EvidenceRecorded, Confidence: 1, Timestamp: p.last,
	}
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
	parent, isNew := c.nearestMessage(r.parent), !c.hasMessage(r.uuid)
	l, above := c.linkOf(r.uuid), c.lines[parent]
	if above == nil {
		above = &link{place: parent}
	}
	l.parent, l.place, l.prompt, l.isResponse = parent, r.uuid, above.prompt, m.Kind == tables.KindResponse
	c.order = append(c.order, r.uuid)
	isPrompt := m.Kind == tables.KindPrompt || m.Kind == tables.KindCommand
	if l.prompt != nil && (isPrompt || m.Role == tables.RoleAssistant || m.Kind == tables.KindInterruption) {
		l.prompt.hasAnswer = true
	}
	switch {
	case r.sidechain || r.uuid == "":
	case l.isResponse:
		c.unanswered, c.isFlat = c.unanswered[:0], c.isFlat || r.parent == ""
	case m.Kind == tables.KindInjected && r.GetBool("isMeta"):
		l.place = above.place
		if n := len(c.unanswered); n > 0 && c.unanswered[n-1].uuid == parent {
			c.unanswered[n-1].isAsked = true
		}
	case isPrompt && isNew:
		l.prompt = l
		c.addPrompt(m, above.place)
	}
	c.lastWritten = r.at
}

// addPrompt adds a prompt or a command. Two at one place show a rewind: the person went
// back to the place (FORMAT.md §2.4). A place may be missing in the file.
func (c *chain) addPrompt(m *tables.Message, place string) {
	if n := len(c.unanswered); n > 0 {
		c.unanswered[n-1].last = c.lastWritten
	}
	c.unanswered = append(c.unanswered, asked{uuid: m.UUID, isAsked: m.Kind == tables.KindPrompt})
	if m.Kind == tables.KindCommand && claudefiles.IsClear(claudefiles.FirstWord(m.Text)) {
		delete(c.prompts, "") // a further conversation in the file begins
	} else if place == "" || c.hasLine(place) {
		if c.prompts[place] = append(c.prompts[place], m.UUID); len(c.prompts[place]) > 1 {
			c.leaf = ""
		}
	}
}

// addLeaf handles a line of kind last-prompt, which names the conversation's last line. If
// a person withdrew a prompt before an answer, an explicit line without a leaf follows the
// next prompt (FORMAT.md §2.4).
func (c *chain) addLeaf(r *record) {
	if leaf := readers.Text(r.Value, "leafUuid"); strings.Trim(leaf, "0-") != "" {
		c.leaf = leaf
	} else if n := len(c.unanswered) - 1; n > 0 && r.GetBool("explicit") {
		c.maybeBack = append(c.maybeBack, c.unanswered[:n]...)
		c.unanswered = slices.Delete(c.unanswered, 0, n)
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
	return l != nil && l.isResponse
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
		if len(prompts) == 1 || c.isFlat && !c.hasMessage(place) {
			continue
		}
		active := slices.IndexFunc(prompts, func(uuid string) bool { return kept[uuid] })
		for i, uuid := range prompts {
			left[uuid] = i != active && (active >= 0 || i < len(prompts)-1)
		}
	}
	for _, p := range c.maybeBack {
		if p.isAsked && !kept[p.uuid] && !c.lines[p.uuid].hasAnswer {
			left[p.uuid], withdrawn = true, append(withdrawn, p)
		}
	}
	if len(left) == 0 {
		return nil, nil
	}
	for _, uuid := range c.order {
		if left[uuid] || left[c.lines[uuid].parent] {
			left[uuid], uuids = true, append(uuids, uuid)
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

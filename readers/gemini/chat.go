package gemini

import (
	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// chat holds the state of reading one session. Later records change earlier ones, so
// the rows are emitted only at the end.
type chat struct {
	*file
	isLater bool // another session began earlier in the same file
	facts   sessionFacts

	entries []*entry // in the order in which their ids first appeared
	byID    map[string]*entry
	aliases aliases
	view    []*entry // messages that Gemini CLI would load if it resumed the session now, without notices
	notices []*entry // notices that Gemini CLI would load
	turns   int      // number of entries ever added to view and notices
	calls   map[string]*call

	row            *tables.Session
	model          string             // of the last response
	lastCompaction *tables.Compaction // the last compaction, until the conversation goes on
}

// entry is one message, in its latest state.
type entry struct {
	tables.Message
	native    string   // the agent's own id
	kind      string   // user, gemini, info, error or warning
	sent      string   // text that the model gets
	asked     []string // ids of the functionCall parts
	calls     []*call
	answers   []*call  // functionResponse parts of a user message
	inView    bool     // in view or notices
	turn      int      // value of chat.turns when the entry was added there
	preserved []string // the agent's ids of the messages that the checkpoint with this entry kept
}

// addMetadata reads a metadata record, which may hold a whole session.
func (c *chat) addMetadata(v *fastjson.Value, line int64) {
	c.facts.addMetadata(v)
	for _, m := range v.GetArray("messages") {
		c.addMessage(m, line, "session content/")
	}
}

// setMetadata sets changed metadata. If it holds a list of messages, the list is a
// checkpoint: it replaces all earlier messages (FORMAT.md §3.3).
func (c *chat) setMetadata(v *fastjson.Value, line int64) {
	c.facts.addMetadata(v)
	list := v.Get("messages")
	if !readers.Is(list, fastjson.TypeArray) {
		return
	}
	c.aliases.add(c, list.GetArray())
	for _, e := range c.view { // checkpoints are made from the model's history, which has no notices
		e.inView = false
	}
	c.view = c.view[:0]
	var kept []string
	var fresh []*entry
	for _, m := range list.GetArray() {
		named := c.aliases.find(c, readers.Text(m, "id"))
		if named == nil {
			if e := c.addMessage(m, line, "$set content/"); e != nil {
				fresh = append(fresh, e)
			}
		}
		for _, e := range named {
			if !e.inView {
				c.addToView(e)
			}
			kept = append(kept, e.native)
		}
	}
	for _, e := range fresh {
		e.preserved = kept
	}
}

// rewind removes a message and all later ones from the view and the notices. If the id
// is unknown, it removes all messages.
func (c *chat) rewind(id string) {
	turn := 0
	if e := c.byID[id]; e != nil && e.inView {
		turn = e.turn
	}
	c.view, c.notices = cutView(c.view, turn), cutView(c.notices, turn)
}

// cutView removes from a list the entries that were added at the given turn or later.
func cutView(list []*entry, turn int) []*entry {
	n := len(list)
	for ; n > 0 && list[n-1].turn >= turn; n-- {
		list[n-1].inView = false
	}
	return list[:n]
}

// isInHistory reports whether the model's history has an entry: it has no notices.
func (e *entry) isInHistory() bool { return e.kind == "user" || e.kind == "gemini" }

// addToView appends an entry to the view or the notices.
func (c *chat) addToView(e *entry) {
	c.turns++
	e.inView, e.turn = true, c.turns
	if e.isInHistory() {
		c.view = append(c.view, e)
	} else {
		c.notices = append(c.notices, e)
	}
}

// addMessage adds a record of a message: a new one, or the next state of a known one. The
// record is counted under a kind made of prefix and the message's type.
func (c *chat) addMessage(v *fastjson.Value, line int64, prefix string) *entry {
	kind := c.words.Intern(v.GetStringBytes("type"))
	at := readers.Time(v.Get("timestamp"))
	name := nameOf(v, kind)
	if kind == "qwen" { // the fork's name for it
		kind = "gemini"
	}
	known := kind == "user" || kind == "gemini" || kind == "info" || kind == "error" || kind == "warning"
	c.kinds.Record(v, prefix+name, known, "", at)
	if !known {
		return nil
	}
	id := readers.Text(v, "id")
	e := c.byID[id]
	if c.aliases[id] != nil {
		return e
	}
	if e == nil || id == "" {
		e = &entry{native: id, kind: kind}
		e.Line, e.Timestamp = line, at
		c.byID[id] = e
		c.entries = append(c.entries, e)
	}
	if !e.inView {
		c.addToView(e)
	}
	c.setFields(e, v)
	return e
}

func nameOf(v *fastjson.Value, kind string) string {
	switch {
	case v.Type() != fastjson.TypeObject:
		return "(no object)"
	case kind == "":
		return "(no type)"
	}
	return kind
}

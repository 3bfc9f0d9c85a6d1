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
	later bool // another session began earlier in the same file
	facts sessionFacts

	entries []*entry // in the order in which their ids first appeared
	byID    map[string]*entry
	view    []*entry // messages that Gemini CLI would load if it resumed the session now, without notices
	notices []*entry // notices that Gemini CLI would load
	turns   int      // number of entries ever added to view and notices
	calls   map[string]*call

	own       *tables.Session
	model     string             // of the last response
	compacted *tables.Compaction // the last compaction, until the conversation goes on
}

// entry is one message, in its latest state.
type entry struct {
	tables.Message
	native    string // the agent's own id
	kind      string // user, gemini, info, error or warning
	calls     []*call
	answers   []*call  // functionResponse parts of a user message
	seen      bool     // in view or notices
	turn      int      // value of chat.turns when the entry was added there
	preserved []string // the agent's ids of the messages that the checkpoint with this entry kept
}

// take reads a metadata record, which may hold a whole session.
func (c *chat) take(v *fastjson.Value, line int64) {
	c.facts.take(v)
	for _, m := range v.GetArray("messages") {
		c.message(m, line, "session content/")
	}
}

// set takes changed metadata. If it holds a list of messages, the list is a checkpoint:
// it replaces all earlier messages (FORMAT.md §3.3).
func (c *chat) set(v *fastjson.Value, line int64) {
	c.facts.take(v)
	list := v.Get("messages")
	if !readers.Is(list, fastjson.TypeArray) {
		return
	}
	for _, e := range c.view { // checkpoints are made from the model's history, which has no notices
		e.seen = false
	}
	c.view = c.view[:0]
	var kept []string
	var fresh []*entry
	for _, m := range list.GetArray() {
		e, known := c.byID[readers.Text(m, "id")]
		switch {
		case !known:
			if e = c.message(m, line, "$set content/"); e != nil {
				fresh = append(fresh, e)
			}
		case !e.seen:
			c.see(e)
			fallthrough
		default:
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
	if e := c.byID[id]; e != nil && e.seen {
		turn = e.turn
	}
	c.view, c.notices = unseen(c.view, turn), unseen(c.notices, turn)
}

// unseen removes from a list the entries that were added at the given turn or later.
func unseen(list []*entry, turn int) []*entry {
	n := len(list)
	for ; n > 0 && list[n-1].turn >= turn; n-- {
		list[n-1].seen = false
	}
	return list[:n]
}

// see appends an entry to the view or the notices.
func (c *chat) see(e *entry) {
	c.turns++
	e.seen, e.turn = true, c.turns
	if e.kind == "user" || e.kind == "gemini" {
		c.view = append(c.view, e)
	} else {
		c.notices = append(c.notices, e)
	}
}

// message takes a record of a message: a new one, or the next state of a known one. The
// record is counted under a kind made of prefix and the message's type.
func (c *chat) message(v *fastjson.Value, line int64, prefix string) *entry {
	kind := c.words.Of(v.GetStringBytes("type"))
	at := readers.Time(v.Get("timestamp"))
	known := kind == "user" || kind == "gemini" || kind == "info" || kind == "error" || kind == "warning"
	c.kinds.Record(v, prefix+nameOf(v, kind), known, "", at)
	if !known {
		return nil
	}
	id := readers.Text(v, "id")
	e := c.byID[id]
	if e == nil || id == "" {
		e = &entry{native: id, kind: kind}
		e.Line, e.Timestamp = line, at
		c.byID[id] = e
		c.entries = append(c.entries, e)
	}
	if !e.seen {
		c.see(e)
	}
	c.fill(e, v)
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

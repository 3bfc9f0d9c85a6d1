package gemini

import (
	"github.com/valyala/fastjson"

	"hindsql/readers"
	"hindsql/tables"
)

// chat is one session while its file is read. Later records change what
// earlier ones told, so that everything is emitted at the end.
type chat struct {
	*file
	later bool // an earlier start stands in the same file
	facts sessionFacts

	entries []*entry // in the order in which their ids were first met
	byID    map[string]*entry
	view    []*entry // what the agent itself would load now, but for the notices
	notices []*entry // that it would load
	turns   int      // how many entries came into either so far
	calls   map[string]*call

	own       *tables.Session
	model     string             // of the last response
	compacted *tables.Compaction // the last one, while the conversation hasn't gone on
}

// entry is one message, as its latest record has it.
type entry struct {
	tables.Message
	native    string // the agent's own id
	kind      string // user, gemini, info, error or warning
	calls     []*call
	answers   []*call  // functionResponse parts of a user message
	seen      bool     // stands in the view
	turn      int      // when it came there
	preserved []string // native ids of the messages that the checkpoint which brought it kept
}

// take reads a metadata record, which may hold a whole session.
func (c *chat) take(v *fastjson.Value, line int64) {
	c.facts.take(v)
	for _, m := range v.GetArray("messages") {
		c.message(m, line, "session content/")
	}
}

// set merges metadata. A list of messages is a checkpoint: it takes the place
// of all messages before it (FORMAT.md §3.3).
func (c *chat) set(v *fastjson.Value, line int64) {
	c.facts.take(v)
	list := v.Get("messages")
	if !is(list, fastjson.TypeArray) {
		return
	}
	for _, e := range c.view { // the model's history, of which checkpoints are made, holds no notices
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

// rewind drops a message and all later ones from the view; all, when it is
// unknown.
func (c *chat) rewind(id string) {
	turn := 0
	if e := c.byID[id]; e != nil && e.seen {
		turn = e.turn
	}
	c.view, c.notices = unseen(c.view, turn), unseen(c.notices, turn)
}

// unseen drops the entries from a turn on.
func unseen(list []*entry, turn int) []*entry {
	n := len(list)
	for ; n > 0 && list[n-1].turn >= turn; n-- {
		list[n-1].seen = false
	}
	return list[:n]
}

// see puts an entry at the end of what the agent would load.
func (c *chat) see(e *entry) {
	c.turns++
	e.seen, e.turn = true, c.turns
	if e.kind == "user" || e.kind == "gemini" {
		c.view = append(c.view, e)
	} else {
		c.notices = append(c.notices, e)
	}
}

// message takes a message: a new one, or the next state of one that was there
// before. It counts it under its type after the prefix.
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

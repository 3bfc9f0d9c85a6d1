package gemini

import (
	"slices"
	"time"

	"github.com/valyala/fastjson"

	"hindsql/readers"
	"hindsql/tables"
)

// chat is one session's file while it is read. Later records change what
// earlier ones told, so that everything is emitted at the end.
type chat struct {
	in    *readers.Input
	at    place
	words readers.Words
	kinds readers.Kinds
	facts sessionFacts

	entries []*entry // in the order in which their ids were first met
	byID    map[string]*entry
	view    []*entry // what the agent itself would load now
	calls   map[string]*call

	own       *tables.Session
	model     string             // of the last response
	compacted *tables.Compaction // the last one, while the conversation hasn't gone on

	rows readers.Rows // of a document's messages
}

// entry is one message, as its latest record has it.
type entry struct {
	tables.Message
	native    string // the agent's own id
	kind      string // user, gemini, info, error or warning
	calls     []*call
	answers   []*call  // functionResponse parts of a user message
	seen      bool     // stands in the view
	preserved []string // native ids of the messages that the checkpoint which brought it kept
}

func newChat(in *readers.Input, at place) *chat {
	return &chat{in: in, at: at, words: readers.Words{}, byID: map[string]*entry{}, calls: map[string]*call{}}
}

// starts are how a line of a journal begins, at which a damaged one is taken
// up again.
var starts = []string{`{"id":"`, `{"$set":`, `{"$rewindTo":`, `{"sessionId":"`}

// line takes a record of a journal; the kinds are told apart in the order of §4.
func (c *chat) line(v *fastjson.Value, line readers.Line) {
	switch {
	case is(v.Get("$rewindTo"), fastjson.TypeString):
		c.kinds.Count("$rewindTo", true, "", time.Time{})
		c.rewind(readers.Text(v, "$rewindTo"))
	case is(v.Get("id"), fastjson.TypeString):
		c.message(v, line.Number, "")
	case is(v.Get("$set"), fastjson.TypeObject):
		c.kinds.Count("$set", true, "", time.Time{})
		c.set(v.Get("$set"), line.Number)
	case v.Exists("sessionId") && v.Exists("projectHash"):
		c.kinds.Count("session", true, "", readers.Time(v.Get("startTime")))
		c.facts.take(v, c.kinds.Count)
		for _, m := range v.GetArray("messages") { // a whole session in one line
			c.message(m, line.Number, "session content/")
		}
	default:
		c.kinds.Count("(no id)", false, "", time.Time{})
	}
}

// document takes what stands around a document's messages.
func (c *chat) document(v *fastjson.Value, text []byte) {
	c.rows = readers.RowsOf(text)
	c.kinds.Count("session", v.Exists("sessionId"), "", readers.Time(v.Get("startTime")))
	c.facts.take(v, c.kinds.Count)
}

// element takes a message of a document.
func (c *chat) element(v *fastjson.Value) {
	c.message(v, c.rows.Of(v.GetStringBytes("id")), "")
}

// set merges metadata. A list of messages is a checkpoint: it takes the place
// of all messages before it (§4).
func (c *chat) set(v *fastjson.Value, line int64) {
	c.facts.take(v, c.kinds.Count)
	list := v.Get("messages")
	if !is(list, fastjson.TypeArray) {
		return
	}
	for _, e := range c.view {
		// The model's history, of which checkpoints are made, holds no notices.
		e.seen = e.kind != "user" && e.kind != "gemini"
	}
	c.view = slices.DeleteFunc(c.view, func(e *entry) bool { return !e.seen })
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
			e.seen = true
			c.view = append(c.view, e)
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
	at := max(0, slices.IndexFunc(c.view, func(e *entry) bool { return e.native == id }))
	for _, e := range c.view[at:] {
		e.seen = false
	}
	c.view = c.view[:at]
}

// message takes a message: a new one, or the next state of one that was there
// before. It counts it under its type after the prefix.
func (c *chat) message(v *fastjson.Value, line int64, prefix string) *entry {
	kind := c.words.Of(v.GetStringBytes("type"))
	at := readers.Time(v.Get("timestamp"))
	known := kind == "user" || kind == "gemini" || kind == "info" || kind == "error" || kind == "warning"
	c.kinds.Count(prefix+nameOf(v, kind), known, "", at)
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
		e.seen = true
		c.view = append(c.view, e)
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

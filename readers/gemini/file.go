package gemini

import (
	"slices"
	"time"

	"github.com/valyala/fastjson"

	"hindsql/readers"
	"hindsql/tables"
)

// file is one log of chats while it is read. Most hold one. A server that
// names all its sessions alike, and was started again within a minute, goes on
// in the same file: each start is a chat of its own.
type file struct {
	in    *readers.Input
	at    place
	words readers.Words
	kinds readers.Kinds
	chats []*chat
	now   *chat        // the one that records belong to
	rows  readers.Rows // of a document's messages
}

func newFile(in *readers.Input, at place) *file {
	f := &file{in: in, at: at, kinds: readers.NewKinds(in), words: readers.Words{}}
	f.open()
	return f
}

// open begins a chat.
func (f *file) open() {
	f.now = &chat{file: f, later: len(f.chats) > 0, byID: map[string]*entry{}, calls: map[string]*call{}}
	f.chats = append(f.chats, f.now)
}

// begin turns to the chat that a metadata record is of: the one with its id
// and start where the file has it, else a new one where the present one was
// begun by another record.
func (f *file) begin(v *fastjson.Value) {
	id, start := readers.Text(v, "sessionId"), readers.Time(v.Get("startTime"))
	if start.IsZero() {
		return
	}
	for _, c := range f.lastChats() {
		if c.facts.id == id && c.facts.start.Equal(start) {
			f.now = c
			return
		}
	}
	if !f.now.facts.start.IsZero() || len(f.now.entries) > 0 {
		f.open()
	}
}

// lastChats are the chats that a record may be of. A damaged file has thousands,
// of which not all can be asked each time.
func (f *file) lastChats() []*chat { return f.chats[max(0, len(f.chats)-farthest):] }

// farthest is how many entries, or chats, away the other is looked for that one
// belongs to.
const farthest = 500

// chatOf is the chat that holds a message with the id, else the present one.
// What the agent puts in by itself has one id in all chats.
func (f *file) chatOf(id string) *chat {
	for _, c := range f.lastChats() {
		if e := c.byID[id]; e != nil && id != "" && e.Message.Kind != tables.KindInjected {
			return c
		}
	}
	return f.now
}

// starts are how a line of a journal begins, at which a damaged one is taken
// up again.
var starts = []string{`{"id":"`, `{"$set":`, `{"$rewindTo":`, `{"sessionId":"`}

// line takes a record of a journal. The kinds are told apart in the order in
// which the agent's own loader does it (FORMAT.md §3.2).
func (f *file) line(v *fastjson.Value, line readers.Line) {
	switch {
	case is(v.Get("$rewindTo"), fastjson.TypeString):
		f.kinds.Record(v, "$rewindTo", true, "", time.Time{})
		id := readers.Text(v, "$rewindTo")
		f.chatOf(id).rewind(id)
	case is(v.Get("id"), fastjson.TypeString):
		f.chatOf(readers.Text(v, "id")).message(v, line.Number, "")
	case is(v.Get("$set"), fastjson.TypeObject):
		f.kinds.Record(v, "$set", true, "", time.Time{})
		f.now.set(v.Get("$set"), line.Number)
	case v.Exists("sessionId") && v.Exists("projectHash"):
		f.kinds.Record(v, "session", true, "", readers.Time(v.Get("startTime")))
		f.begin(v)
		f.now.take(v, line.Number)
	default:
		f.kinds.Count("(no id)", false, "", time.Time{})
	}
}

// document takes what stands around a document's messages.
func (f *file) document(v *fastjson.Value, text []byte) {
	f.rows = readers.RowsOf(text)
	f.kinds.Record(v, "session", v.Exists("sessionId"), "", readers.Time(v.Get("startTime")))
	f.now.facts.take(v)
}

// element takes a message of a document.
func (f *file) element(v *fastjson.Value) {
	f.now.message(v, f.rows.Of(v.GetStringBytes("id")), "")
}

// finish emits all that the file told.
func (f *file) finish() {
	for _, c := range f.chats {
		c.finish()
	}
	f.kinds.Emit(f.in.Emit)
}

// startFormat is how a start stands in the id of a session.
const startFormat = "2006-01-02T15:04:05.000Z"

// served says whether a session is a server's. A server has one id for all its
// sessions, which is none of the ids that the agent makes up.
func (c *chat) served(native string) bool {
	return c.at.parent == "" && native != "" && !uuid.MatchString(native)
}

// spoken says whether anybody said anything: the context that the agent opens
// a session with is nothing said.
func (c *chat) spoken() bool {
	return slices.ContainsFunc(c.entries, func(e *entry) bool { return e.Message.Kind != tables.KindInjected })
}

package gemini

import (
	"slices"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// file holds the state of reading one file with chats (sessions). Most files hold one.
// A Gemini CLI server uses the same id for all its sessions, and, if it is restarted
// within a minute, the same file. Then each start in the file is a chat of its own.
type file struct {
	in      *readers.Input
	at      place
	words   readers.Interner
	kinds   readers.Kinds
	chats   []*chat
	current *chat               // chat of the current record
	rows    readers.RecordLines // of a document's messages
}

func newFile(in *readers.Input, at place) *file {
	f := &file{in: in, at: at, kinds: readers.NewKinds(in), words: readers.Interner{}}
	f.addChat()
	return f
}

// addChat begins a chat.
func (f *file) addChat() {
	f.current = &chat{file: f, isLater: len(f.chats) > 0, byID: map[string]*entry{}, aliases: aliases{}, calls: map[string]*call{}}
	f.chats = append(f.chats, f.current)
}

// switchChat switches to the chat of a metadata record: the chat with the same id and
// start. If no chat matches, switchChat adds a new chat, unless the current chat is
// still empty.
func (f *file) switchChat(v *fastjson.Value) {
	id, start := readers.Text(v, "sessionId"), readers.Time(v.Get("startTime"))
	if start.IsZero() {
		return
	}
	for _, c := range f.lastChats() {
		if c.facts.id == id && c.facts.start.Equal(start) {
			f.current = c
			return
		}
	}
	if !f.current.facts.start.IsZero() || len(f.current.entries) > 0 {
		f.addChat()
	}
}

// lastChats returns the last chats of the file, in which a record's chat is searched. A
// damaged file may have thousands of chats, too many to search for each record.
func (f *file) lastChats() []*chat { return f.chats[max(0, len(f.chats)-farthest):] }

// farthest limits the search for a related entry or chat, as a number of entries or
// chats.
const farthest = 500

// chatOf returns the chat that has a message with this id, otherwise the current chat.
// It ignores messages that Gemini CLI itself adds, because they have the same id in all
// chats.
func (f *file) chatOf(id string) *chat {
	for _, c := range f.lastChats() {
		if e := c.byID[id]; e != nil && id != "" && e.Message.Kind != tables.KindInjected {
			return c
		}
	}
	return f.current
}

// starts lists the beginnings of a journal's line, at which reading resumes after
// damage.
var starts = []string{`{"id":"`, `{"$set":`, `{"$rewindTo":`, `{"sessionId":"`}

// handleLine handles a record of a journal. The kinds are distinguished in the same
// order as in the agent's own loader (FORMAT.md §3.2).
func (f *file) handleLine(v *fastjson.Value, line readers.Line) {
	switch {
	case readers.Is(v.Get("$rewindTo"), fastjson.TypeString):
		f.kinds.Record(v, "$rewindTo", true, "", time.Time{})
		id := readers.Text(v, "$rewindTo")
		f.chatOf(id).rewind(id)
	case readers.Is(v.Get("id"), fastjson.TypeString):
		f.chatOf(readers.Text(v, "id")).addMessage(v, line.Number, "")
	case readers.Is(v.Get("$set"), fastjson.TypeObject):
		f.kinds.Record(v, "$set", true, "", time.Time{})
		f.current.setMetadata(v.Get("$set"), line.Number)
	case v.Exists("sessionId") && v.Exists("projectHash"):
		f.kinds.Record(v, "session", true, "", readers.Time(v.Get("startTime")))
		f.switchChat(v)
		f.current.addMetadata(v, line.Number)
	default:
		f.kinds.Count("(no id)", false, "", time.Time{})
	}
}

// handleDocument reads the fields around a document's messages.
func (f *file) handleDocument(v *fastjson.Value, text []byte) {
	f.rows = readers.NewRecordLines(text)
	f.kinds.Record(v, "session", v.Exists("sessionId"), "", readers.Time(v.Get("startTime")))
	f.current.facts.addMetadata(v)
}

// handleMessage reads a message of a document.
func (f *file) handleMessage(v *fastjson.Value) {
	f.current.addMessage(v, f.rows.Find(v.GetStringBytes("id")), "")
}

// finish emits all rows of the file.
func (f *file) finish() {
	for _, c := range f.chats {
		c.finish()
	}
	f.kinds.Emit(f.in.Emit)
}

// startFormat is the format of a start in a session's id.
const startFormat = "2006-01-02T15:04:05.000Z"

// isServerSession reports whether the session is one of a server: its id is no UUID,
// because a server has one id for all sessions.
func (c *chat) isServerSession(native string) bool {
	return c.at.parent == "" && native != "" && !uuid.MatchString(native)
}

// hasConversation reports whether the session has messages other than the agent's opening
// context.
func (c *chat) hasConversation() bool {
	return slices.ContainsFunc(c.entries, func(e *entry) bool { return e.Message.Kind != tables.KindInjected })
}

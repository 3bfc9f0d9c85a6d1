package vscode

import (
	"bytes"

	"hindsql/internal/fastjson"
	"hindsql/readers"
)

// chat holds the state of reading one session's file.
type chat struct {
	in       *readers.Input
	at       place
	words    readers.Words
	kinds    readers.Kinds
	parser   fastjson.Parser // of JSON inside strings
	rows     readers.Rows    // of a document's requests
	replayed bool            // the file is a mutation log
	foreign  bool            // the file isn't a chat
	newer    []byte          // content of the mutation log beside a flat file; empty if none

	facts    facts
	requests []*request
	version  string          // of Copilot Chat
	base     location        // folder that relative paths in the session's texts start from
	ids      map[string]bool // ids of calls
	carried  []*call         // calls without result at the limit of rounds; the next request may run them

	reviews    []reviewed
	reviewRead bool
}

func newChat(in *readers.Input, at place) *chat {
	return &chat{in: in, at: at, kinds: readers.NewKinds(in), words: readers.Words{}, ids: map[string]bool{}}
}

// log reads a mutation log: the session's final state, and the requests that the log
// removed on the way.
func (c *chat) log(in *readers.Input) error {
	c.replayed = true
	r := &replay{kinds: &c.kinds, emit: in.Emit}
	return readers.JSONLinesKept(in, starts, spine, r.entry, func() {
		if c.foreign = r.state == nil; !c.foreign {
			c.facts.take(r.state, &c.kinds)
			r.each(c.request)
		}
	})
}

// document reads the fields around a flat file's requests.
func (c *chat) document(v *fastjson.Value, text []byte) {
	c.foreign = v.Get("requests") == nil && !(bytes.Contains(text, []byte(`"requests"`)) && c.at.kind == sessionFile)
	if c.foreign {
		c.kinds.Count("no chat: an object without requests", false, "", noTime)
		return
	}
	c.kinds.Count("session", true, "", readers.Time(v.Get("creationDate")))
	c.rows = readers.RowsOf(text)
	c.facts.take(v, &c.kinds)
	if c.at.kind == sessionFile {
		// VS Code continues the session in this log. If the log is missing or too large
		// to search, all requests come from the flat file.
		c.newer, _ = c.in.Beside(c.in.Rel + "l")
	}
}

// element reads a request of a flat file.
func (c *chat) element(v *fastjson.Value) {
	id := v.GetStringBytes("requestId")
	if len(id) > 0 && len(c.newer) > 0 && bytes.Contains(c.newer, append(append([]byte(`"`), id...), '"')) {
		c.kinds.Count("session content/request, read from the log beside", true, "", noTime)
		return
	}
	c.request(v, c.rows.Of(id), false)
}

package vscode

import (
	"bytes"
	"cmp"
	"path"
	"strings"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/internal/pattern"
	"hindsql/readers"
	"hindsql/tables"
)

// chat holds the state of reading one session's file.
type chat struct {
	in       *readers.Input
	at       place
	words    readers.Interner
	kinds    readers.Kinds
	parser   fastjson.Parser     // of JSON inside strings
	rows     readers.RecordLines // of a document's requests
	replayed bool                // the file is a mutation log
	foreign  bool                // the file isn't a chat
	newer    []byte              // content of the mutation log beside a flat file; empty if none

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
	return &chat{in: in, at: at, kinds: readers.NewKinds(in), words: readers.Interner{}, ids: map[string]bool{}}
}

// readLog reads a mutation log: the session's final state, and the requests that the log
// removed on the way.
func (c *chat) readLog(in *readers.Input) error {
	c.replayed = true
	r := &replay{kinds: &c.kinds, emit: in.Emit}
	return readers.JSONLinesKept(in, starts, partsDepth, r.apply, func() {
		if c.foreign = r.state == nil; !c.foreign {
			c.facts.read(r.state, &c.kinds)
			r.each(c.readRequest)
		}
	})
}

// readDocument reads the fields around a flat file's requests.
func (c *chat) readDocument(v *fastjson.Value, text []byte) {
	c.foreign = v.Get("requests") == nil && !(bytes.Contains(text, []byte(`"requests"`)) && c.at.kind == sessionFile)
	if c.foreign {
		c.kinds.Count("no chat: an object without requests", false, "", noTime)
		return
	}
	c.kinds.Count("session", true, "", readers.Time(v.Get("creationDate")))
	c.rows = readers.NewRecordLines(text)
	c.facts.read(v, &c.kinds)
	if c.at.kind == sessionFile {
		// VS Code continues the session in this log. If the log is missing or too large
		// to search, all requests come from the flat file.
		c.newer, _ = c.in.ReadFile(c.in.Rel + "l")
	}
}

// readElement reads a request of a flat file.
func (c *chat) readElement(v *fastjson.Value) {
	id := v.GetStringBytes("requestId")
	if len(id) > 0 && len(c.newer) > 0 && bytes.Contains(c.newer, append(append([]byte(`"`), id...), '"')) {
		c.kinds.Count("session content/request, read from the log beside", true, "", noTime)
		return
	}
	c.readRequest(v, c.rows.Find(id), false)
}

// facts holds a file's fields about the whole session (FORMAT.md §2.1).
type facts struct {
	id, title string
	location  string // place of the chat in VS Code's window, such as panel
	created   time.Time
	project   location
	git       struct{ branch, commit, remote string }
	extra     readers.Extra
}

// read reads the session's fields.
func (f *facts) read(v *fastjson.Value, kinds *readers.Kinds) {
	kinds.RecordFields(v, "session", "")
	f.id = readers.Text(v, "sessionId")
	f.title = cmp.Or(readers.Text(v, "customTitle"), readers.Text(v, "computedTitle"))
	f.created = readers.Time(v.Get("creationDate"))
	f.project = readLocation(v.Get("workingDirectory"))
	f.git.branch = readers.Text(v, "repoData", "localBranch")
	f.git.commit = readers.Text(v, "repoData", "localHeadCommit")
	f.git.remote = readers.Text(v, "repoData", "remoteUrl")
	f.extra = readers.Extra{}
	f.readUnsent(v, kinds)
	f.location = readers.Text(v, "initialLocation")
	f.extra.Text("responder", readers.Text(v, "responderUsername"))
	f.extra.Int("version", readers.Int(v, "version"))
	f.extra.Flag("imported", readers.Bool(v, "isImported"))
	f.extra.Flag("pending_edits", readers.Bool(v, "hasPendingEdits"))
}

// readUnsent records in extra the text that the user hadn't sent yet, and the queued
// questions.
func (f *facts) readUnsent(v *fastjson.Value, kinds *readers.Kinds) {
	f.extra.Text("draft", readers.Text(v, "inputState", "inputText"))
	var queued []string
	for _, p := range v.GetArray("pendingRequests") {
		kinds.Count("session content/queued request", true, "", noTime)
		queued = append(queued, textIn(p.Get("request", "message")))
	}
	if len(queued) > 0 {
		f.extra.Set("queued", queued)
	}
}

// newSession returns the session's row.
func (c *chat) newSession() *tables.Session {
	f := &c.facts
	where := c.project()
	f.extra.Text("remote", where.remote)
	s := &tables.Session{
		Kind:         tables.SessionMain,
		Title:        f.title,
		Project:      where.path,
		GitBranch:    f.git.branch,
		GitCommit:    f.git.commit,
		GitRemote:    f.git.remote,
		Origin:       f.location,
		AgentVersion: c.version,
	}
	s.SessionID = c.sessionID()
	if len(c.newer) > 0 {
		// VS Code continued this flat file's session in a mutation log. The rows of the
		// flat file get an id of their own.
		s.SessionID, s.NativeID = s.SessionID+"@flat", s.SessionID
	}
	f.extra.Set("generation", c.generation())
	for key, files := range c.reviewedFiles() {
		f.extra.Set(key, files)
	}
	s.Extra = readers.Object(f.extra)
	return s
}

func (c *chat) generation() string {
	switch {
	case c.replayed:
		return "log"
	case c.facts.id == "":
		return "export"
	}
	return "flat"
}

var uuid = pattern.Lazy(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)

// sessionID returns the session's id. An export has no id: Copilot's session id takes
// its place, otherwise the id of the first request.
func (c *chat) sessionID() string {
	if c.facts.id != "" {
		return c.facts.id
	}
	if uuid.MatchString(c.at.stem) || c.at.kind == sessionFile {
		return c.at.stem
	}
	for _, r := range c.requests {
		if r.copilotSession != "" {
			c.facts.extra.Set("id_from", "result.metadata.sessionId")
			return r.copilotSession
		}
	}
	for _, r := range c.requests {
		if r.id != "" {
			c.facts.extra.Set("id_from", "requestId")
			return strings.TrimPrefix(r.id, "request_")
		}
	}
	return c.at.stem
}

// project returns the session's folder. It is the session's own working directory if
// recorded, otherwise the workspace's folder, otherwise the folder from which relative
// paths in the session's texts start.
func (c *chat) project() location {
	if c.facts.project.path != "" {
		return c.facts.project
	}
	if c.at.folder != "" {
		if data, err := c.in.ReadFile(path.Join(c.at.folder, "workspace.json")); err == nil {
			v, _ := fastjson.ParseBytes(data)
			for _, key := range []string{"folder", "workspace", "configuration"} {
				if l := readLocation(v.Get(key)); l.path != "" {
					return l
				}
			}
		}
	}
	if c.base.path != "" {
		c.facts.extra.Set("project_from", "baseUri")
	}
	return location{strings.TrimRight(c.base.path, `/\`), c.base.remote}
}

package vscode

import (
	"cmp"
	"path"
	"strings"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/internal/pattern"
	"hindsql/readers"
	"hindsql/tables"
)

// facts holds a file's fields about the whole session (FORMAT.md §2.1).
type facts struct {
	id, title string
	location  string // place of the chat in VS Code's window, such as panel
	created   time.Time
	project   location
	git       struct{ branch, commit, remote string }
	extra     readers.Extra
}

// take reads the session's fields.
func (f *facts) take(v *fastjson.Value, kinds *readers.Kinds) {
	kinds.Look(v, "session", "")
	f.id = readers.Text(v, "sessionId")
	f.title = cmp.Or(readers.Text(v, "customTitle"), readers.Text(v, "computedTitle"))
	f.created = readers.Time(v.Get("creationDate"))
	f.project = locationOf(v.Get("workingDirectory"))
	f.repository(v.Get("repoData"))
	f.extra = readers.Extra{}
	f.unsent(v, kinds)
	f.location = readers.Text(v, "initialLocation")
	f.extra.Text("responder", readers.Text(v, "responderUsername"))
	f.extra.Int("version", readers.Int(v, "version"))
	f.extra.Flag("imported", readers.Bool(v, "isImported"))
	f.extra.Flag("pending_edits", readers.Bool(v, "hasPendingEdits"))
}

func (f *facts) repository(v *fastjson.Value) {
	f.git.branch = readers.Text(v, "localBranch")
	f.git.commit = readers.Text(v, "localHeadCommit")
	f.git.remote = readers.Text(v, "remoteUrl")
}

// unsent records in extra the text that the user hadn't sent yet, and the queued
// questions.
func (f *facts) unsent(v *fastjson.Value, kinds *readers.Kinds) {
	f.extra.Text("draft", readers.Text(v, "inputState", "inputText"))
	var queued []string
	for _, p := range v.GetArray("pendingRequests") {
		kinds.Count("session content/queued request", true, "", noTime)
		queued = append(queued, messageText(p.Get("request", "message")))
	}
	if len(queued) > 0 {
		f.extra.Set("queued", queued)
	}
}

// session returns the session's row.
func (c *chat) session() *tables.Session {
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
		if data, err := c.in.Beside(path.Join(c.at.folder, "workspace.json")); err == nil {
			v, _ := fastjson.ParseBytes(data)
			for _, key := range []string{"folder", "workspace", "configuration"} {
				if l := locationOf(v.Get(key)); l.path != "" {
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

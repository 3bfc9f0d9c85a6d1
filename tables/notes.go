package tables

import "hindsql/internal/words"

var sessionNotes = newSheet(Table{
	Name:     "session_notes",
	Doc:      "One row per session with a title in a file shared by many sessions. After the file is deleted, its notes count only for sessions with a deleted log.",
	Internal: true,
}, []column[inFile[SessionNote]]{
	text("agent", "agent that wrote the file", func(n *inFile[SessionNote]) string { return n.f.Agent }),
	text("session_id", "id of the session, as in the session's own log", func(n *inFile[SessionNote]) string { return n.e.SessionID }),
	text("title", "the session's title", func(n *inFile[SessionNote]) string { return n.e.Title }),
	text("about", "the title, as a line", func(n *inFile[SessionNote]) string { return words.Line(n.e.Title, aboutLength) }),
	bigint("source_id", "the shared file, see sources", func(n *inFile[SessionNote]) int64 { return n.f.id }),
})

var projectNotes = newSheet(Table{
	Name:     "project_notes",
	Doc:      "One row per key for a project, from a file shared by many sessions.",
	Internal: true,
}, []column[inFile[ProjectNote]]{
	text("agent", "agent that wrote the file", func(n *inFile[ProjectNote]) string { return n.f.Agent }),
	text("key", "the key, such as the name of a folder of logs", func(n *inFile[ProjectNote]) string { return n.e.Key }),
	text("project", "working directory", func(n *inFile[ProjectNote]) string { return n.e.Project }),
	bigint("source_id", "the shared file, see sources", func(n *inFile[ProjectNote]) int64 { return n.f.id }),
})

// own holds what a log itself says about a session's project. If session is nil, it
// holds the same for the log's prompts and clears.
type own struct {
	f       *File
	session *session
	project string
	keys    []string
}

var ownNames = newSheet(Table{
	Name:     "own_names",
	Doc:      "One row per session: facts from the session's own log that shared files may override. A log of prompts has one row without session_id if a shared file may name the project.",
	Internal: true,
}, []column[own]{
	text("agent", "agent that wrote the log", func(o *own) string { return o.f.Agent }),
	text("session_id", "id of the session, as in the log", func(o *own) string {
		if o.session == nil {
			return ""
		}
		return o.session.SessionID
	}),
	text("title", "title in the log", func(o *own) string {
		if o.session == nil {
			return ""
		}
		return o.session.Title
	}),
	text("about", "the title, or the first prompt, as a line", func(o *own) string {
		if o.session == nil {
			return ""
		}
		return o.session.about()
	}),
	text("project", "working directory in the log", func(o *own) string { return o.project }),
	texts("project_keys", "keys for the project in shared files, the surest first; null without keys", func(o *own) []string { return o.keys }),
	text("approval_key", "the agent's name of the session, which a shared file of approvals may use; null without one", func(o *own) string {
		if o.session == nil {
			return ""
		}
		return o.session.ApprovalKey
	}),
	linked[own]("title_from", "BIGINT", "the shared file with the title"),
	linked[own]("project_from", "BIGINT", "the shared file with the project"),
	bigint("source_id", "the log file, see sources", func(o *own) int64 { return o.f.id }),
})

// appendOwn adds the rows of table own_names for the log.
func (f *File) appendOwn(b *Batch) {
	for _, s := range f.sessions {
		ownNames.append(b, &own{f, s, s.Project, s.ProjectKeys})
	}
	if f.project != nil {
		ownNames.append(b, &own{f, nil, f.project.Project, f.project.Keys})
	}
}

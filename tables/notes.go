package tables

import "hindsql/internal/words"

var sessionNotes = newSheet(Table{
	Name:     "session_notes",
	Doc:      "One row per session that a file which many sessions share says something of; a note of a log that is gone holds for sessions that are gone, too.",
	Internal: true,
}, []column[inFile[SessionNote]]{
	text("agent", "which agent wrote the file", func(n *inFile[SessionNote]) string { return n.f.Agent }),
	text("session_id", "id of the session, as its own log has it", func(n *inFile[SessionNote]) string { return n.e.SessionID }),
	text("title", "the session's title", func(n *inFile[SessionNote]) string { return n.e.Title }),
	text("about", "the title, as a line", func(n *inFile[SessionNote]) string { return words.Line(n.e.Title, aboutLength) }),
	bigint("source_id", "the shared file, see sources", func(n *inFile[SessionNote]) int64 { return n.f.id }),
})

var projectNotes = newSheet(Table{
	Name:     "project_notes",
	Doc:      "One row per name that a file which many sessions share gives a project.",
	Internal: true,
}, []column[inFile[ProjectNote]]{
	text("agent", "which agent wrote the file", func(n *inFile[ProjectNote]) string { return n.f.Agent }),
	text("key", "the name, such as that of a folder of logs", func(n *inFile[ProjectNote]) string { return n.e.Key }),
	text("project", "working directory", func(n *inFile[ProjectNote]) string { return n.e.Project }),
	bigint("source_id", "the shared file, see sources", func(n *inFile[ProjectNote]) int64 { return n.f.id }),
})

// own is what a log itself says about a session. Without a session, own is about the
// log's prompts and clears.
type own struct {
	f       *File
	session *session
	project string
	keys    []string
}

var ownNames = newSheet(Table{
	Name:     "own_names",
	Doc:      "One row per session: what its own log says of it, where shared files may say more; and one without session_id per log of prompts whose project a shared file may tell.",
	Internal: true,
}, []column[own]{
	text("agent", "which agent wrote the log", func(o *own) string { return o.f.Agent }),
	text("session_id", "id of the session, as the log has it", func(o *own) string {
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
	text("about", "the title, else the first prompt, as a line", func(o *own) string {
		if o.session == nil {
			return ""
		}
		return o.session.about()
	}),
	text("project", "working directory in the log", func(o *own) string { return o.project }),
	texts("project_keys", "names by which a shared file may tell the project, the surest first; null where none may", func(o *own) []string { return o.keys }),
	linked[own]("title_from", "BIGINT", "the shared file that the title came from"),
	linked[own]("project_from", "BIGINT", "the shared file that the project came from"),
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

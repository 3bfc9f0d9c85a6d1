package tables

var ownProjects = newSheet(Table{
	Name:     "own_projects",
	Doc:      "One row per session that another one may have started, with the working directory that its own log names; sessions.project is that of the session above it, while that one is known.",
	Internal: true,
}, []column[session]{
	text("agent", "which agent wrote the log", func(s *session) string { return s.file.Agent }),
	text("session_id", "the session", func(s *session) string { return s.SessionID }),
	text("project", "working directory", func(s *session) string { return s.Project }),
	bigint("source_id", "the log file, see sources", func(s *session) int64 { return s.file.id }),
})

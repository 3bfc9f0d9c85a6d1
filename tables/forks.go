package tables

var forkMarks = newSheet(Table{
	Name:     "fork_marks",
	Doc:      "One row per fork whose log names the original session; sessions.forked_from is made of these rows and of copies.",
	Internal: true,
}, []column[session]{
	text("agent", "agent that wrote the log", func(s *session) string { return s.file.Agent }),
	text("session_id", "the fork", func(s *session) string { return s.SessionID }),
	text("forked_from", "the original session, copied at the beginning of the fork", func(s *session) string { return s.ForkedFrom }),
	bigint("source_id", "the log file, see sources", func(s *session) int64 { return s.file.id }),
})

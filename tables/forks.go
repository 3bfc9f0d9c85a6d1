package tables

var forkMarks = newSheet(Table{
	Name:     "fork_marks",
	Doc:      "One row per session whose log names the session that it was forked from; sessions.forked_from is made of these and of copies.",
	Internal: true,
}, []column[session]{
	text("agent", "which agent wrote the log", func(s *session) string { return s.file.Agent }),
	text("session_id", "the fork", func(s *session) string { return s.SessionID }),
	text("forked_from", "the session whose beginning it copies", func(s *session) string { return s.ForkedFrom }),
	bigint("source_id", "the log file, see sources", func(s *session) int64 { return s.file.id }),
})

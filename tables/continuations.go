package tables

var forkMarks = newRowTable(Table{
	Name:     "fork_marks",
	Doc:      "One row per fork whose log names the original session; sessions.forked_from is made of these rows and of copies.",
	Internal: true,
}, []column[session]{
	text("agent", "agent that wrote the log", func(s *session) string { return s.file.Agent }),
	text("session_id", "the fork", func(s *session) string { return s.SessionID }),
	text("forked_from", "the original session, copied at the beginning of the fork", func(s *session) string { return s.ForkedFrom }),
	bigint("source_id", "the log file, see sources", func(s *session) int64 { return s.file.id }),
})

var continuations = newRowTable(Table{
	Name:     "continuations",
	Doc:      "One row per log that continues the session of another log, from a line on; the later lines of the other log were undone.",
	Internal: true,
}, []column[session]{
	text("agent", "agent that wrote the log", func(s *session) string { return s.file.Agent }),
	text("session_id", "session id from the log's reader", func(s *session) string { return s.SessionID }),
	text("continues", "the continued session", func(s *session) string { return s.Continues }),
	bigint("undone_from", "the number of the first undone line", func(s *session) int64 { return s.ContinuesAt }),
	linked[session]("shift", "BIGINT", "number added to the message_index of the log's rows; null while the rows are a separate session"),
	bigint("source_id", "the log file, see sources; it holds only this session", func(s *session) int64 { return s.file.id }),
})

var partSessions = &Table{
	Name:     "part_sessions",
	Doc:      "One row per session that is a part of another session, as loaded.",
	Internal: true,
	Derived:  true,
	Columns:  sessions.Columns,
}

var lineNumbers = newRowTable(Table{
	Name:     "line_numbers",
	Doc:      "One row per run of consecutively numbered lines in a log; other logs may continue the numbers.",
	Internal: true,
}, []column[inFile[Numbering]]{
	bigint("line", "1-based line of the file at the beginning of the run", func(n *inFile[Numbering]) int64 { return n.e.Line }),
	bigint("ordinal", "the number of the line", func(n *inFile[Numbering]) int64 { return n.e.Ordinal }),
	bigint("source_id", "the log file, see sources", func(n *inFile[Numbering]) int64 { return n.f.id }),
})

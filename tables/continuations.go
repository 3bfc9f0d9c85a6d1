package tables

var continuations = newSheet(Table{
	Name:     "continuations",
	Doc:      "One row per log that goes on with the session of another one, in which what came after some line was undone.",
	Internal: true,
}, []column[session]{
	text("agent", "which agent wrote the log", func(s *session) string { return s.file.Agent }),
	text("session_id", "what its reader calls the session", func(s *session) string { return s.SessionID }),
	text("continues", "the session that it is", func(s *session) string { return s.Continues }),
	bigint("undone_from", "the number of the first line that was undone", func(s *session) int64 { return s.ContinuesAt }),
	linked[session]("shift", "BIGINT", "what was added to the message_index of its rows; null while they are a session of their own"),
	bigint("source_id", "the log file, see sources; it holds no other session", func(s *session) int64 { return s.file.id }),
})

var partSessions = &Table{
	Name:     "part_sessions",
	Doc:      "One row per session that is a part of another one, as sessions had it.",
	Internal: true,
	Derived:  true,
	Columns:  sessions.Columns,
}

var lineNumbers = newSheet(Table{
	Name:     "line_numbers",
	Doc:      "One row per run of lines of a log that are numbered onwards, in an order that goes on in other logs.",
	Internal: true,
}, []column[inFile[Numbering]]{
	bigint("line", "1-based line of the file where the run begins", func(n *inFile[Numbering]) int64 { return n.e.Line }),
	bigint("ordinal", "the number of that line", func(n *inFile[Numbering]) int64 { return n.e.Ordinal }),
	bigint("source_id", "the log file, see sources", func(n *inFile[Numbering]) int64 { return n.f.id }),
})

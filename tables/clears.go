package tables

import "time"

var clears = &Table{
	Name:    "clears",
	Doc:     "One row per clear of the context, made of a line in the prompt history, the first lines of the new session, or both; some clears are inferred. Copies of these lines count as one clear.",
	Derived: true,
	Columns: []Column{
		{"timestamp", "TIMESTAMPTZ", "time of the clear"},
		{"agent", "VARCHAR", "agent that wrote the log"},
		{"project", "VARCHAR", "working directory of the ended session or, if unknown, of the new session"},
		{"trigger", "VARCHAR", "command, or plan (a plan was accepted with cleared context); null if the agent has no command for clears"},
		{"command", "VARCHAR", "as typed: /clear, /new …; null for a plan"},
		{"evidence", "VARCHAR", "history, session start, both or inferred"},
		{"confidence", "DOUBLE", "0 to 1"},
		{"session_id", "VARCHAR", "ended session; null if unknown"},
		{"next_session_id", "VARCHAR", "new session; null if unknown, or if no session began"},
		{"after_message_index", "INTEGER", "last message of the ended session before the clear"},
		{"machine", "VARCHAR", machineDoc},
		{"user", "VARCHAR", userDoc},
		{"host", "VARCHAR", hostDoc},
		{isInferred, "BOOLEAN", isInferredDoc},
		{"source_id", "BIGINT", "the log file of the stronger trace, see sources"},
	},
}

var clearMarks = newRowTable(Table{
	Name:     "clear_marks",
	Doc:      "One row per trace of a clear; table clears merges the traces.",
	Internal: true,
}, []column[clearMark]{
	text("agent", "agent that wrote the log", func(c *clearMark) string { return c.Agent }),
	text("uuid", "id of the log line", func(c *clearMark) string { return c.UUID }),
	text("session_id", "ended session", func(c *clearMark) string { return c.SessionID }),
	text("next_session_id", "new session", func(c *clearMark) string { return c.NextSessionID }),
	text("next_prompt", "first prompt of the new session, if the log has no more about the session", func(c *clearMark) string { return c.NextPrompt }),
	position("after_message_index", "last message before a clear inside a session", func(c *clearMark) int { return c.after }),
	text("trigger", "command or plan", func(c *clearMark) string { return c.Trigger }),
	text("command", "as typed", func(c *clearMark) string { return c.Command }),
	text("project", "working directory", func(c *clearMark) string { return c.Project }),
	instant("timestamp", "time of the line", func(c *clearMark) time.Time { return c.Timestamp }),
	text("evidence", "history, session start, queue, process or inferred", func(c *clearMark) string { return c.Evidence }),
	double("confidence", "0 to 1", func(c *clearMark) Maybe[float64] { return Some(c.Confidence) }),
	bigint("source_id", "the log file, see sources", func(c *clearMark) int64 { return c.id }),
})

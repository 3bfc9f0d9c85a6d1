package tables

import "time"

var clears = &Table{
	Name:    "clears",
	Doc:     "One row per clear of the context, made of its traces: the line in the prompt history and the first lines of the session that it opened. Copies of those lines are the same clear.",
	Derived: true,
	Columns: []Column{
		{"timestamp", "TIMESTAMPTZ", "time of the clear"},
		{"agent", "VARCHAR", "which agent wrote the log"},
		{"project", "VARCHAR", "working directory of the session that ended, else of the one that began"},
		{"trigger", "VARCHAR", "command, or plan: a plan was accepted with its context cleared; null where the agent has no command for it"},
		{"command", "VARCHAR", "as typed: /clear, /new …; null for a plan"},
		{"evidence", "VARCHAR", "history, session start, both or inferred"},
		{"confidence", "DOUBLE", "0 to 1"},
		{"session_id", "VARCHAR", "session that ended; null where no trace names it"},
		{"next_session_id", "VARCHAR", "session that began; null where none did, or none is known"},
		{"after_message_index", "INTEGER", "last message of the ended session before the clear"},
		{"machine", "VARCHAR", machineDoc},
		{"user", "VARCHAR", userDoc},
		{"host", "VARCHAR", hostDoc},
		{isInferred, "BOOLEAN", isInferredDoc},
		{"source_id", "BIGINT", "the log file of the stronger trace, see sources"},
	},
}

var clearMarks = newSheet(Table{
	Name:     "clear_marks",
	Doc:      "One row per trace of a clear; clears is made of them.",
	Internal: true,
}, []column[clearMark]{
	text("agent", "which agent wrote the log", func(c *clearMark) string { return c.Agent }),
	text("uuid", "id of the log line", func(c *clearMark) string { return c.UUID }),
	text("session_id", "session that ended", func(c *clearMark) string { return c.SessionID }),
	text("next_session_id", "session that began", func(c *clearMark) string { return c.NextSessionID }),
	text("next_prompt", "what the session that began was begun with, where nothing else is known of it", func(c *clearMark) string { return c.NextPrompt }),
	position("after_message_index", "last message before it, for a clear inside a session", func(c *clearMark) int { return c.after }),
	text("trigger", "command or plan", func(c *clearMark) string { return c.Trigger }),
	text("command", "as typed", func(c *clearMark) string { return c.Command }),
	text("project", "working directory", func(c *clearMark) string { return c.Project }),
	instant("timestamp", "time of the line", func(c *clearMark) time.Time { return c.Timestamp }),
	text("evidence", "history, session start, queue or inferred", func(c *clearMark) string { return c.Evidence }),
	double("confidence", "0 to 1", func(c *clearMark) Maybe[float64] { return Some(c.Confidence) }),
	bigint("source_id", "the log file, see sources", func(c *clearMark) int64 { return c.id }),
})

package tables

import "time"

var messages = newSheet(Table{
	Name: "messages",
	Doc:  "One row per message as the model API sees it: log lines that share an API message id are one row, its tokens counted once.",
	Key:  []string{"agent", "session_id", "message_index"},
}, []column[message]{
	text("agent", "which agent wrote the log", func(m *message) string { return m.file.Agent }),
	text("session_id", "session it stands in", func(m *message) string { return m.SessionID }),
	position("message_index", "0-based position among the session's messages, in the order of the file", func(m *message) int { return m.index }),
	text("uuid", "id of its first log line", func(m *message) string { return m.UUID }),
	text("parent_uuid", "id of the line it answers", func(m *message) string { return m.ParentUUID }),
	text("message_id", "id that the model API gave it", func(m *message) string { return m.MessageID }),
	text("origin_session_id", "session id on the line where it is not this session's: the line was copied from there", func(m *message) string { return m.OriginSessionID }),
	text("role", "user, assistant or system", func(m *message) string { return m.Role }),
	text("kind", "prompt, response, tool_result, command, command_output, injected, summary, interruption, notice or error", func(m *message) string { return m.Message.Kind }),
	text("text", "text, whole; of a tool_result null, as tool_calls.output has it", func(m *message) string { return m.Text }),
	text("thinking", "thinking, where the log keeps it", func(m *message) string { return m.Thinking }),
	text("model", "model that wrote it", func(m *message) string { return m.Model }),
	text("stop_reason", "why the model stopped: end_turn, tool_use, max_tokens …", func(m *message) string { return m.StopReason }),
	instant("timestamp", "time of its first line, UTC", func(m *message) time.Time { return m.Timestamp }),
	maybeBigint("input_tokens", "tokens read and not cached, null where not recorded", func(m *message) Maybe[int64] { return m.InputTokens }),
	maybeBigint("output_tokens", "tokens written", func(m *message) Maybe[int64] { return m.OutputTokens }),
	maybeBigint("cache_read_tokens", "tokens read from the prompt cache", func(m *message) Maybe[int64] { return m.CacheReadTokens }),
	maybeBigint("cache_write_tokens", "tokens written to the prompt cache", func(m *message) Maybe[int64] { return m.CacheWriteTokens }),
	maybeBigint("reasoning_tokens", "tokens of hidden reasoning", func(m *message) Maybe[int64] { return m.ReasoningTokens }),
	maybeBoolean("tokens_reliable", "false where only the count at the start of the stream was stored; null where there are no tokens", func(m *message) Maybe[bool] { return m.TokensReliable }),
	text("request_id", "id of the API request", func(m *message) string { return m.RequestID }),
	boolean("is_sidechain", "true for a subagent's message", func(m *message) bool { return m.IsSidechain }),
	boolean("is_copy", "true when the same message also stands in an older session: forks, resumes, replays", func(m *message) bool { return false }),
	boolean("is_active", "false on an abandoned branch, rewound or superseded", func(m *message) bool { return !m.inactive }),
	position("segment", "0-based number of the part between clears", func(m *message) int { return m.segment }),
	bigint("source_id", "the log file, see sources", func(m *message) int64 { return m.file.id }),
	bigint("line", "1-based line of the file where it begins", func(m *message) int64 { return m.Line }),
	object("extra", "what only this agent records", func(m *message) string { return m.Message.Extra }),
})

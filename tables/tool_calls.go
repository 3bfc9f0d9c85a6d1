package tables

import "time"

var toolCalls = newSheet(Table{
	Name: "tool_calls",
	Doc:  "One row per tool call, with its result. A call whose batch-mate was refused and which got no result at all is lost.",
	Key:  []string{"agent", "session_id", "tool_use_id"},
}, []column[call]{
	text("agent", "which agent wrote the log", func(c *call) string { return c.file.Agent }),
	text("session_id", "session it stands in", func(c *call) string { return c.SessionID }),
	position("message_index", "message that makes the call", func(c *call) int { return indexOf(c.at) }),
	text("tool_use_id", "id of the call", func(c *call) string { return c.ToolUseID }),
	text("tool_name", "tool, in the agent's own word", func(c *call) string { return c.ToolName }),
	text("tool_kind", "edit, command, read, search, web, mcp, plan, question, agent or other", func(c *call) string { return c.ToolKind }),
	object("input", "arguments", func(c *call) string { return c.Input }),
	text("file_path", "file that the call is about", func(c *call) string { return c.FilePath }),
	text("command", "shell command that the call runs", func(c *call) string { return c.Command }),
	text("output", "result, whole; images are left out", func(c *call) string { return c.ended().Output }),
	text("status", "ok, error, rejected (a person said no), denied (a rule, hook or classifier did), interrupted, skipped, pending (no result) or lost", func(c *call) string { return c.status }),
	maybeBoolean("is_error", "true when the result says error, refusals included; null without a result", func(c *call) Maybe[bool] {
		return Maybe[bool]{c.status != StatusOK, c.result != nil}
	}),
	text("error_type", "exit_code, invalid_call (wrongly formed), timeout, sandbox, not_found or other; null unless status is error", func(c *call) string { return c.ended().ErrorType }),
	maybeBigint("exit_code", "exit code of a command, null where not recorded", func(c *call) Maybe[int64] { return c.ended().ExitCode }),
	position("result_message_index", "message that brought the result", func(c *call) int {
		if c.result == nil {
			return -1
		}
		return indexOf(c.result.at)
	}),
	instant("timestamp", "time of the call, UTC", func(c *call) time.Time { return c.ToolCall.Timestamp }),
	instant("finished_at", "time of the result, UTC", func(c *call) time.Time { return c.ended().Timestamp }),
	maybeBigint("duration_ms", "milliseconds from call to result, waiting for approval included, unless the agent recorded the tool's own time", (*call).duration),
	text("subagent_session_id", "session of the subagent that the call started", func(c *call) string { return c.ended().SubagentSessionID }),
	position("batch_index", "0-based position among the calls of its message", func(c *call) int { return c.batchIndex }),
	position("batch_size", "number of calls of its message", func(c *call) int { return c.batchSize }),
	boolean("is_copy", "true when its message is a copy", func(c *call) bool { return false }),
	bigint("source_id", "the log file, see sources", func(c *call) int64 { return c.file.id }),
	object("extra", "what only this agent records", func(c *call) string {
		if c.result != nil && c.result.Extra != "" {
			return c.result.Extra
		}
		return c.ToolCall.Extra
	}),
})

var noResult ToolResult

// ended is the call's result; an empty one while there is none.
func (c *call) ended() *ToolResult {
	if c.result == nil {
		return &noResult
	}
	return c.result.ToolResult
}

func (c *call) duration() Maybe[int64] {
	end := c.ended()
	if end.DurationMS.OK || end.DurationUnknown || end.Timestamp.IsZero() || c.ToolCall.Timestamp.IsZero() {
		return end.DurationMS
	}
	return Some(max(0, end.Timestamp.Sub(c.ToolCall.Timestamp).Milliseconds()))
}

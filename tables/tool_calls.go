package tables

import "time"

var toolCalls = newRowTable(Table{
	Name: "tool_calls",
	Doc:  "One row per tool call, with the result. A call without a result is lost if another call of the batch was refused.",
	Key:  []string{"agent", "session_id", "tool_use_id"},
}, withOrigin(func(c *call) *Source { return &c.file.Source }, []column[call]{
	instant("timestamp", "time of the call", func(c *call) time.Time { return c.ToolCall.Timestamp }),
	text("agent", "agent that wrote the log", func(c *call) string { return c.file.Agent }),
	text("project", "working directory of the session", func(c *call) string { return c.Project }),
	text("tool_name", "tool, in the agent's own word", func(c *call) string { return c.ToolName }),
	text("tool_kind", "edit, command, read, search, web, mcp, plan, question, agent, script (code that makes calls; itself refused if no field says which of its calls was) or other", func(c *call) string { return c.ToolKind }),
	long(text("command", "shell command of the call", func(c *call) string { return c.Command })),
	text("file_path", "file that the call is about", func(c *call) string { return c.FilePath }),
	text("status", "ok, error, rejected (by a person), denied (by a rule, hook, classifier or sandbox), interrupted, skipped, pending (no result) or lost", func(c *call) string { return c.status }),
	maybeBigint("exit_code", "exit code of a command, null if not recorded", func(c *call) Maybe[int64] { return c.resultOrEmpty().ExitCode }),
	maybeBigint("duration_ms", "milliseconds from call to result, waiting for approval included, unless the agent recorded the tool's own time; null if the clock was set back meanwhile", (*call).duration),
	text("decision", "decision about the call: granted, refused, cancelled (stopped at the question) or unanswered; null means unknown, not granted", func(c *call) string { return c.decision.Decision }),
	text("decided_by", "user, rule, mode, setting, hook, classifier, sandbox, nobody or unknown; null without a decision", func(c *call) string { return c.decision.DecidedBy }),
	text("decision_scope", "how long a grant lasts: once, session, project or always; null if not recorded", func(c *call) string { return c.decision.Scope }),
	maybeBigint("waited_ms", "milliseconds that the agent waited for a person's decision: as recorded, or from call to refusal; null if unknown", func(c *call) Maybe[int64] { return c.decision.WaitedMS }),
	long(object("input", "arguments", func(c *call) string { return c.Input })),
	long(text("output", "result, whole; images are left out", func(c *call) string { return c.resultOrEmpty().Output })),
	text("error_type", "exit_code, invalid_call (wrongly formed), timeout, sandbox, not_found or other; null unless status is error", func(c *call) string { return c.resultOrEmpty().ErrorType }),
	maybeBoolean("is_error", "true if the result says error, refusals included; null without a result", func(c *call) Maybe[bool] {
		return Maybe[bool]{c.status != StatusOK, c.result != nil && c.status != StatusPending}
	}),
	instant("finished_at", "time of the result, or of the end of a call in the background", func(c *call) time.Time { return c.resultOrEmpty().Timestamp }),
	text("session_id", "session of the call", func(c *call) string { return c.SessionID }),
	position("message_index", "message with the call", func(c *call) int { return indexOf(c.at) }),
	text("tool_use_id", "id of the call", func(c *call) string { return c.ToolUseID }),
	text("parent_tool_use_id", "the script (a call of kind script) that made this call; null for a call by the model", func(c *call) string { return c.ParentToolUseID }),
	text("subagent_session_id", "session of the subagent started by the call", func(c *call) string { return c.resultOrEmpty().SubagentSessionID }),
	position("result_message_index", "message with the result", func(c *call) int {
		if c.result == nil {
			return -1
		}
		return indexOf(c.result.at)
	}),
	position("batch_index", "0-based position among the calls of the message; scripts' calls come after the model's", func(c *call) int { return c.batchIndex }),
	position("batch_size", "number of the model's calls in the message", func(c *call) int { return c.batchSize }),
	double("decision_confidence", "confidence in the decision, 0 to 1; 1 if recorded, null without a decision", func(c *call) Maybe[float64] {
		return Maybe[float64]{c.decision.Confidence, c.decision.Decision != ""}
	}),
	text("edit_kept", "what a person did to an edit that ran: kept, undone or changed; null unless told, as for several edits of a file in one request. An undone edit is no refusal. A review of edits after the request is known from the agent's source only", func(c *call) string { return c.resultOrEmpty().EditKept }),
	answers("answers", "questions of the call with the labels offered, those picked, and the person's own words (null without); null if no question was answered", func(c *call) []Answer { return c.resultOrEmpty().Answers }),
	texts("command_parts", "simple commands in a command granted or refused by a person, in the form of permission rules: make build, git log:* (any further arguments are as harmless); empty if the command can't be split safely, null for every other call", (*call).commandParts),
	boolean("is_copy", "true if the call's message is a copy", func(c *call) bool { return false }),
	bigint("source_id", "the log file, see sources", func(c *call) int64 { return c.file.id }),
	long(object("extra", "facts recorded only by this agent", (*call).extra)),
}))

func (c *call) extra() string {
	if c.result != nil && c.result.Extra != "" {
		return c.result.Extra
	}
	return c.ToolCall.Extra
}

var noResult ToolResult

// resultOrEmpty returns the call's result; an empty result if the call has none.
func (c *call) resultOrEmpty() *ToolResult {
	if c.result == nil {
		return &noResult
	}
	return c.result.ToolResult
}

func (c *call) duration() Maybe[int64] {
	end := c.resultOrEmpty()
	if end.DurationMS.OK || end.DurationUnknown {
		return end.DurationMS
	}
	return MillisBetween(c.ToolCall.Timestamp, end.Timestamp)
}

// MillisBetween returns the milliseconds between two times; missing if either is zero, if
// to is before from, because the clock was set back meanwhile, or if one is a wrong time,
// with more than [MaxCount] between them.
func MillisBetween(from, to time.Time) Maybe[int64] {
	ms := to.Sub(from).Milliseconds()
	if from.IsZero() || to.Before(from) || ms > MaxCount {
		return Maybe[int64]{}
	}
	return Some(ms)
}

package tables

import "time"

var rejections = newSheet(Table{
	Name: "rejections",
	Doc:  "One row per refused tool call. WHERE decided_by = 'user' gives the calls refused by a person. Other calls were refused by a rule, hook, classifier or sandbox, or dropped with a refused call of the same batch (cascaded).",
	Key:  []string{"agent", "session_id", "tool_use_id"},
}, withOrigin(func(r *rejection) *Source { return &r.file.Source }, []column[rejection]{
	instant("timestamp", "time of the refusal", func(r *rejection) time.Time { return r.Rejection.Timestamp }),
	text("agent", "agent that wrote the log", func(r *rejection) string { return r.file.Agent }),
	text("project", "working directory of the session", func(r *rejection) string { return r.Project }),
	text("tool_name", "tool, in the agent's own word; null if the log no longer holds the call", func(r *rejection) string { return r.refused().ToolName }),
	text("tool_kind", "edit, command, read, search, web, mcp, plan, question, agent, script or other", func(r *rejection) string { return r.refused().ToolKind }),
	text("rejection_type", "edit, command, option (a plan or question), permission (by a rule, not a choice about this call) or other", (*rejection).kind),
	text("decided_by", "user, rule, mode, setting, hook, classifier, sandbox, nobody (the question got no answer) or unknown", func(r *rejection) string { return r.DecidedBy }),
	text("reason", "words of the user, or of the deciding hook or classifier; null if not recorded, and for decisions by a rule or nobody", func(r *rejection) string { return r.Reason }),
	long(text("next_prompt", "the user's next prompt or command: in the session, or, for a refusal in a subagent or helper, in the topmost session above", func(r *rejection) string { return r.next })),
	long(text("command", "refused shell command", func(r *rejection) string { return r.refused().Command })),
	text("file_path", "file that the call was about", func(r *rejection) string { return r.refused().FilePath }),
	long(text("proposed_diff", "unified diff of the refused edit; line numbers count within the replaced text", func(r *rejection) string { return r.refused().diff() })),
	long(object("tool_input", "arguments of the refused call", func(r *rejection) string { return r.refused().Input })),
	text("denial_kind", "the agent's own word for the denial: user-rejected, permission-rule, automode-blocked …; null if the agent has no word", func(r *rejection) string { return r.DenialKind }),
	boolean("cascaded", "true if the call was not refused, but dropped with a refused call of the same batch: skipped, interrupted or lost; decided_by is then rule", func(r *rejection) bool { return r.Cascaded }),
	text("evidence", "recorded, inferred, or wording (known only by the program's sentence in the result)", func(r *rejection) string { return r.Evidence }),
	double("confidence", "0 to 1", func(r *rejection) Maybe[float64] { return Some(r.Confidence) }),
	text("session_id", "session of the refusal", func(r *rejection) string { return r.SessionID }),
	position("message_index", "message with the refusal", func(r *rejection) int { return indexOf(r.at) }),
	text("tool_use_id", "the refused call, see tool_calls", func(r *rejection) string { return r.ToolUseID }),
	text("cause_tool_use_id", "the refused call of the batch, if cascaded", func(r *rejection) string { return r.CauseToolUseID }),
	boolean("is_copy", "true if the refusal's message is a copy", func(r *rejection) bool { return false }),
	boolean(isInferred, isInferredDoc, func(r *rejection) bool { return isGuess(r.Evidence, r.Confidence) }),
	bigint("source_id", "the log file, see sources", func(r *rejection) int64 { return r.file.id }),
}))

var noCall = ToolCall{}

// refused returns the refused call; an empty call if the log lacks it.
func (r *rejection) refused() *ToolCall {
	if r.call == nil {
		return &noCall
	}
	return r.call.ToolCall
}

func (r *rejection) kind() string {
	if r.RejectionType != "" {
		return r.RejectionType
	}
	return RejectionTypeOf(r.refused().ToolKind)
}

func (c *ToolCall) diff() string {
	switch {
	case c.Diff != nil:
		return c.Diff()
	case c.Edits != nil:
		return unifiedDiff(c.Edits())
	}
	return ""
}

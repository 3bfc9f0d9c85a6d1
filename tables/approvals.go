package tables

import "time"

var approvals = newSheet(Table{
	Name:     "approvals",
	Doc:      "One row per question about a call, from a file that many sessions share; an answer in a file that is gone holds on.",
	Internal: true,
}, []column[inFile[Approval]]{
	text("agent", "which agent wrote the file", func(a *inFile[Approval]) string { return a.f.Agent }),
	text("key", "the agent's name of the session, see own_names", func(a *inFile[Approval]) string { return a.e.Key }),
	text("tool_use_id", "id of the call, as the model gave it", func(a *inFile[Approval]) string { return a.e.ToolUseID }),
	text("decision", "as in tool_calls", func(a *inFile[Approval]) string { return a.e.Decision }),
	text("decided_by", "as in tool_calls", func(a *inFile[Approval]) string { return a.e.DecidedBy }),
	text("decision_scope", "as in tool_calls", func(a *inFile[Approval]) string { return a.e.Scope }),
	text("status", "status of a refused call: rejected or denied; else null", func(a *inFile[Approval]) string { return a.e.Status }),
	text("stopped_by", "user or system, where the call was stopped at the question; else null", func(a *inFile[Approval]) string { return a.e.StoppedBy }),
	text("denial_kind", "the agent's own word for the end of the question", func(a *inFile[Approval]) string { return a.e.DenialKind }),
	maybeBigint("waited_ms", "milliseconds from the question to a person's answer", func(a *inFile[Approval]) Maybe[int64] { return a.e.WaitedMS }),
	double("decision_confidence", "as in tool_calls", func(a *inFile[Approval]) Maybe[float64] { return Maybe[float64]{1, a.e.Decision != ""} }),
	texts("command_parts", "as in tool_calls", func(a *inFile[Approval]) []string { return a.e.commandParts() }),
	instant("asked_at", "time of the question", func(a *inFile[Approval]) time.Time { return a.e.AskedAt }),
	instant("answered_at", "time of the answer; null while it is open", func(a *inFile[Approval]) time.Time { return a.e.AnsweredAt }),
	bigint("source_id", "the shared file, see sources", func(a *inFile[Approval]) int64 { return a.f.id }),
})

// commandParts returns the simple commands of the command that a person granted or
// refused; nil for every other answer.
func (a *Approval) commandParts() []string {
	c := call{ToolCall: &ToolCall{Command: a.Command, Parts: a.Parts}, decision: Decision{Decision: a.Decision, DecidedBy: a.DecidedBy}}
	return c.commandParts()
}

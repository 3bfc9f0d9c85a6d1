package tables

import (
	"cmp"
)

// The allowed words of columns. Agents' own words go into extra.

// SessionKind: what a session is for.
const (
	SessionMain       = "main"
	SessionSubagent   = "subagent"
	SessionCompaction = "compaction_helper" // replays its parent to summarise it
	SessionSide       = "side_question"     // replays its parent to answer aside
	SessionSuggestion = "prompt_suggestion" // replays its parent to guess the next prompt
	SessionGuardian   = "guardian"          // reviewer of the parent's permission requests
	SessionServer     = "server"            // a server's start, without any conversation
)

// Role: who speaks.
const (
	RoleUser      = "user"
	RoleAssistant = "assistant"
	RoleSystem    = "system"
)

// MessageKind: what a message is.
const (
	KindPrompt        = "prompt"         // asked by a person, or by a program in a person's place, see TypedBy
	KindResponse      = "response"       // the model's answer
	KindToolResult    = "tool_result"    // a call's result; the text is in tool_calls.output
	KindCommand       = "command"        // a slash or shell command
	KindCommandOutput = "command_output" // what a command printed
	KindInjected      = "injected"       // put in by the agent, a hook or a parent, not typed
	KindSummary       = "summary"        // what a compaction left
	KindInterruption  = "interruption"   // the marker line of an interruption
	KindNotice        = "notice"         // the agent to the user
	KindError         = "error"          // an error in place of a response
	KindUsage         = "usage"          // tokens of no answer: the difference to a recorded total, or a second model's
)

// TypedBy: who typed a prompt or a command. Any author except a person has the agent's
// own word.
const (
	TypedByHuman = "human"
	TypedBySDK   = "sdk"  // a program that drives the agent
	TypedByAgent = "auto" // the agent, to make room in the middle of a turn
)

// ToolKind: what a tool does.
const (
	ToolEdit     = "edit"
	ToolCommand  = "command"
	ToolRead     = "read"
	ToolSearch   = "search"
	ToolWeb      = "web"
	ToolMCP      = "mcp"
	ToolPlan     = "plan"
	ToolQuestion = "question"
	ToolAgent    = "agent"
	ToolScript   = "script" // code that makes calls itself, see ParentToolUseID
	ToolOther    = "other"
)

// Values of edit_kept: what became of an edit after the call ran.
const (
	EditKept    = "kept"
	EditUndone  = "undone"
	EditChanged = "changed"
)

// Status: how a call ended.
const (
	StatusOK          = "ok"
	StatusError       = "error"       // the call failed while running, or couldn't be run
	StatusRejected    = "rejected"    // a person said no
	StatusDenied      = "denied"      // a rule, hook, classifier or sandbox said no
	StatusInterrupted = "interrupted" // cut while waiting or running
	StatusSkipped     = "skipped"     // left out because a call of the batch failed, says the result
	StatusPending     = "pending"     // no result in the file
	StatusLost        = "lost"        // no result, and another call of the batch was refused
)

// ErrorType: why a call failed.
const (
	ErrorExitCode    = "exit_code"
	ErrorInvalidCall = "invalid_call" // the model formed the call wrongly
	ErrorTimeout     = "timeout"
	ErrorSandbox     = "sandbox"
	ErrorNotFound    = "not_found"
	ErrorOther       = "other"
)

// RejectionType: what was refused.
const (
	RejectEdit       = "edit"
	RejectCommand    = "command"
	RejectOption     = "option"     // a plan or a question
	RejectPermission = "permission" // refused by a rule, hook or classifier, without regard to this call
	RejectOther      = "other"
)

// Decision: what was decided about a call.
const (
	Granted    = "granted"
	Refused    = "refused"
	Cancelled  = "cancelled"  // stopped while the agent asked
	Unanswered = "unanswered" // no person answered the question
)

// Scope: how long a grant lasts.
const (
	ScopeOnce    = "once"
	ScopeSession = "session"
	ScopeProject = "project"
	ScopeAlways  = "always"
)

// DecidedBy: who granted or refused.
const (
	ByUser       = "user"
	ByRule       = "rule"
	ByMode       = "mode"    // a permission mode with fewer or no questions
	BySetting    = "setting" // a setting of the program, but no rule about the call
	ByNobody     = "nobody"  // no person answered, or none could be asked
	ByHook       = "hook"
	ByClassifier = "classifier"
	BySandbox    = "sandbox"
	ByUnknown    = "unknown"
)

// Evidence: how a fact is known.
const (
	EvidenceRecorded     = "recorded"
	EvidenceInferred     = "inferred"
	EvidenceText         = "text"    // only the model's own words say so
	EvidenceWording      = "wording" // the program's own sentence, in a result without any other mark
	EvidenceHistory      = "history"
	EvidenceSessionStart = "session start"
	EvidenceBoth         = "both"    // history and session start
	EvidenceQueue        = "queue"   // only for traces: the typed command waited in the old session's queue until taken out
	EvidenceProcess      = "process" // only for traces: a process that began with session_id wrote into next_session_id, or went on to an unnamed session
)

// Interruption types and phases.
const (
	InterruptedByUser   = "user"
	InterruptedBySystem = "system"

	PhaseResponse = "response" // while the model answered, or before
	PhaseTool     = "tool"     // while a tool ran
	PhaseApproval = "approval" // while a call waited for approval
	PhaseSubagent = "subagent"
)

// Triggers of clears.
const (
	ClearByCommand = "command"
	ClearByPlan    = "plan" // a plan was accepted with "clear context"
)

// SummarySource: the place of a compaction's summary.
const (
	SummaryInline    = "inline"
	SummaryMemory    = "memory file"
	SummaryEncrypted = "encrypted"
	SummaryNone      = "none"
)

// FieldNewerVersion is the kind of a RecordField for a version.
const FieldNewerVersion = "(version)"

// RejectionTypeOf returns the RejectionType for a refused tool's ToolKind.
func RejectionTypeOf(toolKind string) string {
	switch toolKind {
	case ToolEdit:
		return RejectEdit
	case ToolCommand:
		return RejectCommand
	case ToolPlan, ToolQuestion:
		return RejectOption
	}
	return RejectOther
}

// joinDecisions sets the decisions about calls: first from refusals, then from
// interruptions while a call waited for approval. The reader's Decision events come
// last and override both.
func (s *session) joinDecisions() {
	for _, r := range s.rejections {
		if c := s.byToolUseID[r.ToolUseID]; c != nil && !r.Cascaded {
			c.decision = r.decision()
		}
	}
	for _, i := range s.interruptions {
		if i.call != nil && i.Phase == PhaseApproval && i.Type == InterruptedByUser && i.call.decision.Decision == "" {
			i.call.decision = Decision{Decision: Cancelled, DecidedBy: ByUser, Confidence: i.Confidence}
		}
	}
	for _, d := range s.decisions {
		if c := s.byToolUseID[d.ToolUseID]; c != nil {
			c.decision.merge(d)
		}
	}
}

// decision returns the decision in a refusal.
func (r *Rejection) decision() Decision {
	d := Decision{Decision: Refused, DecidedBy: r.DecidedBy, Confidence: r.Confidence}
	if r.DecidedBy == ByNobody {
		d.Decision = Unanswered
	}
	return d
}

// minWait is the shortest time in which a person can refuse a call, in milliseconds. It is
// used if only the times of the call and the refusal are known. If less time lies between
// them, the agent wrote both lines at once, and the wait is unknown.
const minWait = 500

// joinWaits computes how long a person took to refuse a call: from the call to the
// refusal. A refused call doesn't run, so the whole time is the person's. A wait set by
// the reader is kept. A call that ran and was undone later gets no wait.
func (s *session) joinWaits() {
	for _, r := range s.rejections {
		c := s.byToolUseID[r.ToolUseID]
		if c == nil || r.Cascaded || c.status != StatusRejected || c.decision.Decision != Refused || c.decision.DecidedBy != ByUser || c.decision.WaitedMS.OK || c.decision.WaitUnknown {
			continue
		}
		if waited := MillisBetween(c.ToolCall.Timestamp, r.Timestamp); waited.Value > minWait {
			c.decision.WaitedMS = waited
		}
	}
}

// merge overrides fields of d with the fields set in a later event e.
func (d *Decision) merge(e *Decision) {
	if e.Decision != "" && e.Decision != d.Decision {
		*d = Decision{Decision: e.Decision, Confidence: cmp.Or(e.Confidence, 1), WaitedMS: d.WaitedMS}
	}
	d.DecidedBy = cmp.Or(e.DecidedBy, d.DecidedBy)
	d.Scope = cmp.Or(e.Scope, d.Scope)
	d.Confidence = cmp.Or(e.Confidence, d.Confidence)
	d.WaitUnknown = e.WaitUnknown || d.WaitUnknown
	if e.WaitedMS.OK {
		d.WaitedMS = e.WaitedMS
	}
}

// commandParts returns the simple commands of a command granted or refused by a person;
// nil for any other call.
func (c *call) commandParts() []string {
	if c.Parts == nil || c.Command == "" || c.decision.DecidedBy != ByUser || c.decision.Decision != Granted && c.decision.Decision != Refused {
		return nil
	}
	parts := c.Parts(c.Command)
	if parts == nil {
		parts = []string{}
	}
	return parts
}

// typedBy returns who typed a prompt or command; empty for messages of another kind.
func (m *message) typedBy() string {
	if m.Kind != KindPrompt && m.Kind != KindCommand {
		return ""
	}
	return cmp.Or(m.Message.TypedBy, TypedByHuman)
}

package tables

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
	KindUsage         = "usage"          // tokens of no answer: the difference to a recorded total
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
	Unanswered = "unanswered" // it asked, and nobody answered
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
	ByNobody     = "nobody"  // it asked, and nobody answered
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
	EvidenceBoth         = "both"  // history and session start
	EvidenceQueue        = "queue" // only for traces: the typed command waited in the old session's queue until taken out
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

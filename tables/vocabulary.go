package tables

// The words that columns are limited to. Agents' own words go into extra.

// SessionKind: what a session is for.
const (
	SessionMain       = "main"
	SessionSubagent   = "subagent"
	SessionCompaction = "compaction_helper" // replays its parent to summarise it
	SessionSide       = "side_question"     // replays its parent to answer aside
	SessionSuggestion = "prompt_suggestion" // replays its parent to guess the next prompt
	SessionGuardian   = "guardian"          // an agent that reviews what its parent asks permission for
	SessionServer     = "server"            // a server's start, in which nobody said anything
)

// Role: who speaks.
const (
	RoleUser      = "user"
	RoleAssistant = "assistant"
	RoleSystem    = "system"
)

// MessageKind: what a message is.
const (
	KindPrompt        = "prompt"         // asked of the agent: by a person, or by a program in a person's place, see TypedBy
	KindResponse      = "response"       // the model's
	KindToolResult    = "tool_result"    // its text stands in tool_calls.output
	KindCommand       = "command"        // a slash or shell command
	KindCommandOutput = "command_output" // what a command printed
	KindInjected      = "injected"       // put in by the agent, a hook or a parent, not typed
	KindSummary       = "summary"        // what a compaction left
	KindInterruption  = "interruption"   // the marker line of an interruption
	KindNotice        = "notice"         // the agent to the user
	KindError         = "error"          // an error in place of a response
	KindUsage         = "usage"          // tokens that no answer names: the difference to a total that the log has
)

// TypedBy: who typed a prompt or a command. Others than a person go by the
// agent's own word.
const (
	TypedByHuman = "human"
	TypedBySDK   = "sdk"  // a program that drives the agent
	TypedByAgent = "auto" // the agent, in the middle of a turn: to make room
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
	ToolScript   = "script" // code that makes calls of its own, see ParentToolUseID
	ToolOther    = "other"
)

// Status: how a call ended.
const (
	StatusOK          = "ok"
	StatusError       = "error"       // it ran, or could not be run, and failed
	StatusRejected    = "rejected"    // a person said no
	StatusDenied      = "denied"      // a rule, hook, classifier or sandbox said no
	StatusInterrupted = "interrupted" // cut while waiting or running
	StatusSkipped     = "skipped"     // said to be left out because a batch-mate failed
	StatusPending     = "pending"     // no result in the file
	StatusLost        = "lost"        // no result, and a batch-mate was refused
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
	RejectPermission = "permission" // by a rule, hook or classifier, not by a choice about this call
	RejectOther      = "other"
)

// Decision: what was decided about a call.
const (
	Granted    = "granted"
	Refused    = "refused"
	Cancelled  = "cancelled"  // the agent was stopped while it asked
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
	ByMode       = "mode"    // a permission mode that asks for nothing, or for less
	BySetting    = "setting" // a setting of the program that is no rule about the call
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
	EvidenceWording      = "wording" // the program's own sentence, in a result that nothing else marks
	EvidenceHistory      = "history"
	EvidenceSessionStart = "session start"
	EvidenceBoth         = "both"  // history and session start
	EvidenceQueue        = "queue" // of a trace only: the typed command waited in the old session's queue, and was taken from it
)

// Interruption types and phases.
const (
	InterruptedByUser   = "user"
	InterruptedBySystem = "system"

	PhaseResponse = "response" // while the model answered, or before it began to
	PhaseTool     = "tool"     // while a tool ran
	PhaseApproval = "approval" // while a call waited for approval
	PhaseSubagent = "subagent"
)

// Triggers of clears.
const (
	ClearByCommand = "command"
	ClearByPlan    = "plan" // a plan was accepted with "clear context"
)

// SummarySource: where a compaction's summary stands.
const (
	SummaryInline    = "inline"
	SummaryMemory    = "memory file"
	SummaryEncrypted = "encrypted"
	SummaryNone      = "none"
)

// FieldNewerVersion is the kind of a RecordField that names a version.
const FieldNewerVersion = "(version)"

// RejectionTypeOf gives the RejectionType of a refused tool's ToolKind.
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

package kimi

import (
	"strings"

	"hindsql/readers"
	"hindsql/tables"
)

// Confidences of decisions that no field shows (FORMAT.md §5).
const (
	deniedByWording = 0.9 // a sentence of Kimi Code, and the mode in which it writes the sentence
	sourceSentence  = 0.8 // a sentence that was only read in the program
	hookByWording   = 0.5 // words that can only be a hook's
	grantedByMode   = 0.8 // a call that ran without a question in a mode with fewer questions
	grantedByRule   = 0.8 // a call that fits what the user allowed for the session
)

// resolveDecision returns the refusal of a call, and the decision about it; each is nil
// if there is none. Only the records of an ask show a person's decision: a tool could
// print the sentences of a refusal.
func (c *call) resolveDecision(r *tables.ToolResult) (*tables.Rejection, *tables.Decision) {
	if a := c.ask; a != nil {
		return c.personsDecision(a, r)
	}
	if c.result == nil || c.step == nil {
		return nil, nil
	}
	if refusal := c.refusalByWords(r); refusal != nil {
		r.Status, r.ErrorType = tables.StatusDenied, ""
		return refusal, nil
	}
	return nil, c.grantWithoutAsk(r)
}

// personsDecision returns what a person decided at an ask.
func (c *call) personsDecision(a *ask, r *tables.ToolResult) (*tables.Rejection, *tables.Decision) {
	d := &tables.Decision{ToolUseID: c.ToolUseID, DecidedBy: tables.ByUser, WaitedMS: readers.MillisBetween(a.at, a.answeredAt)}
	switch {
	case a.kind == "user_tool" || !a.isAnswered:
		return nil, nil // an open ask that the user stopped is the interruption's
	case a.decision == cancelled || a.isStopped:
		r.Status, r.ErrorType = tables.StatusInterrupted, ""
		d.Decision = tables.Cancelled
		return nil, d
	case a.decision == rejected:
		r.Status, r.ErrorType = tables.StatusRejected, ""
		kind := a.label
		if kind == "" && a.kind == "approval" {
			kind = rejected
		}
		return &tables.Rejection{
			ToolUseID: c.ToolUseID, DecidedBy: tables.ByUser, DenialKind: kind, Reason: a.feedback,
			Evidence: tables.EvidenceRecorded, Confidence: 1, Timestamp: a.answeredAt,
		}, d
	case a.decision == approved:
		d.Decision = tables.Granted
		switch {
		case a.forSession:
			d.Scope = tables.ScopeSession
		case a.kind == "approval":
			d.Scope = tables.ScopeOnce
		}
		return nil, d
	}
	return nil, nil
}

// maxUnrunMS is the longest duration in ms of a call that was denied without a run.
const maxUnrunMS = 2

// guidance follows a denial in a subagent.
const guidance = " Try a different approach — don't retry the same call, don't attempt to bypass the restriction."

// refusalByWords returns the refusal of a call without an ask, which only words show.
// The words count if no stranger can have written them: in the mode in which Kimi Code
// writes them, or of a tool whose own errors look different. Any other tool's words are
// an error (FORMAT.md §5).
func (c *call) refusalByWords(r *tables.ToolResult) *tables.Rejection {
	if !c.result.failed || r.Status != tables.StatusError || r.ErrorType != tables.ErrorOther {
		return nil
	}
	s := c.matchSentence(strings.TrimSuffix(c.result.output, guidance))
	if s == nil {
		return nil
	}
	return &tables.Rejection{
		ToolUseID: c.ToolUseID, DecidedBy: s.by, DenialKind: s.kind, Reason: s.reason,
		Evidence: tables.EvidenceWording, Confidence: s.confidence, Timestamp: r.Timestamp,
	}
}

// sentence is a sentence in place of a call's result.
type sentence struct {
	by, kind   string
	confidence float64
	reason     string // empty if the sentence gives none
}

// matchSentence returns who denied a call by these words; nil if they deny nothing.
func (c *call) matchSentence(text string) *sentence {
	own := c.hasOwnErrors()
	byRule := `Tool "` + c.ToolName + `" was denied by permission rule.`
	switch {
	case c.plan && c.ToolKind == tables.ToolEdit && strings.HasPrefix(text, "Plan mode is active. You may only write to the current plan file: "):
		return &sentence{by: tables.ByMode, kind: "plan mode", confidence: deniedByWording}
	case c.plan && notInPlanMode[c.ToolName] && strings.HasPrefix(text, c.ToolName+" is not available in plan mode"):
		return &sentence{by: tables.ByMode, kind: "plan mode", confidence: sourceSentence}
	case c.mode == "auto" && c.ToolKind == tables.ToolQuestion && strings.HasPrefix(text, "AskUserQuestion is disabled while auto permission mode is active"):
		return &sentence{by: tables.ByMode, kind: "auto", confidence: deniedByWording}
	case c.side && sideAnswers[text]:
		return &sentence{by: tables.BySetting, kind: "side question", confidence: sourceSentence}
	case own && strings.HasPrefix(text, byRule):
		return &sentence{by: tables.ByRule, kind: "permission rule", confidence: sourceSentence, reason: strings.TrimPrefix(strings.TrimPrefix(text, byRule), " Reason: ")}
	case own && text == `Tool "`+c.ToolName+`" was denied by permission policy.`:
		return &sentence{by: tables.ByRule, kind: "permission policy", confidence: sourceSentence}
	case own && text == "Blocked by PreToolUse hook":
		return &sentence{by: tables.ByHook, kind: "PreToolUse", confidence: sourceSentence}
	case c.isHookText(text):
		return &sentence{by: tables.ByHook, kind: "PreToolUse", confidence: hookByWording, reason: strings.TrimSpace(text)}
	}
	return nil
}

// hasOwnErrors reports whether the errors of a tool are Kimi Code's own words alone. A
// page or a subagent may have written those of other tools.
func (c *call) hasOwnErrors() bool {
	return toolKinds[c.ToolName] != "" && c.ToolKind != tables.ToolWeb && c.ToolKind != tables.ToolAgent
}

// notInPlanMode lists the tools that plan mode denies, besides edits.
var notInPlanMode = readers.SetOf(`TaskStop CronCreate CronDelete`)

// sideAnswers holds what a call gets that was made for a side question, by version.
var sideAnswers = map[string]bool{
	"Only the read-only tools Read, Grep, and Glob are available for side questions. Other tool calls are disabled.": true,
	"Tool calls are disabled for side questions. Answer with text only.":                                             true,
}

// isHookText reports whether the words of a failed call are a PreToolUse hook's. They
// stand there alone, as the result of a call that took no time. Bash's own failures end
// with a line on how the command ended.
func (c *call) isHookText(text string) bool {
	return c.ToolKind == tables.ToolCommand && c.result.duration.OK && c.result.duration.Value <= maxUnrunMS && strings.TrimSpace(text) != "" &&
		!strings.HasPrefix(text, `Tool "`) && !bashFailures[text]
}

// bashFailures holds Bash's errors before a command starts, which have no last line.
var bashFailures = map[string]bool{
	"Aborted before command started": true,
	"Command cannot be empty.":       true,
	"Background execution is not available for this agent because TaskOutput and TaskStop are not enabled.": true,
	"description is required when run_in_background is true.":                                               true,
}

// grantWithoutAsk returns a grant without a question, as far as the log shows why nobody
// was asked: Kimi Code writes nothing for such calls (FORMAT.md §5).
func (c *call) grantWithoutAsk(r *tables.ToolResult) *tables.Decision {
	ran := r.Status == tables.StatusOK || r.Status == tables.StatusError && r.ErrorType != tables.ErrorInvalidCall
	asks := c.ToolKind == tables.ToolCommand || c.ToolKind == tables.ToolMCP
	switch {
	case !ran || !asks:
	case c.mode == "yolo" || c.mode == "auto":
		return &tables.Decision{ToolUseID: c.ToolUseID, Decision: tables.Granted, DecidedBy: tables.ByMode, Confidence: grantedByMode}
	case c.allowed:
		return &tables.Decision{ToolUseID: c.ToolUseID, Decision: tables.Granted, DecidedBy: tables.ByRule, Scope: tables.ScopeSession, Confidence: grantedByRule}
	}
	return nil
}

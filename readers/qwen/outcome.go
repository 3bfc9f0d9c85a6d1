package qwen

import (
	"cmp"
	"strings"

	"hindsql/readers"
	"hindsql/tables"
)

// outcome is how a call ended, and who decided that (FORMAT.md §4).
type outcome struct {
	status    string // a Status constant
	errorType string // an ErrorType constant
	decidedBy string // of a refusal; empty if nobody refused
	reason    string // the hook's or the classifier's words
	denial    string // the agent's own word for the denial
	evidence  string // of a refusal
	sure      float64
	granted   bool // a person granted the call
	grantSure float64
}

// Values of the events' fields.
const (
	notStarted = "not_started"
	cancelled  = "cancelled"
	failed     = "error"
	denied     = "execution_denied"
	timedOut   = "execution_timeout"
)

// maybeHook is the confidence of a grant: a PermissionRequest hook that allows a call
// leaves the same fields as a person (FORMAT.md §4).
const maybeHook = 0.9

// unseen is the highest confidence of a refusal that only a sentence shows, if no recorded
// log has the sentence.
const unseen = 0.8

// began reports whether the log says that a call ran. Versions before 0.24 never say so.
func (t *callEnd) began() bool { return t.ran != notStarted && t.ran != "" }

// outcome judges a call by the fields of its event.
func (t *callEnd) outcome() outcome {
	o := outcome{status: tables.StatusOK, evidence: tables.EvidenceRecorded, sure: 1}
	switch {
	case t.decision == "reject" && t.status == cancelled && !t.began():
		o.status, o.decidedBy = tables.StatusRejected, tables.ByUser
		return o
	case t.status == failed && !t.began() && (t.errorType == denied || t.decision == "reject"):
		o.setDenial(t)
		return o
	case t.status == cancelled:
		o.status = tables.StatusInterrupted
	case t.status == failed:
		o.status, o.errorType = tables.StatusError, cmp.Or(errorTypes[t.errorType], tables.ErrorOther)
	}
	switch t.decision {
	case "accept":
		o.granted, o.grantSure = true, maybeHook
	case "modify":
		o.granted, o.grantSure = true, 1
	}
	return o
}

// maybeRule is the confidence that nobody could be asked: a rule that the user wrote for
// the whole tool may have the same name.
const maybeRule = 0.9

// The beginnings of a denial's text (FORMAT.md §4.2). The call didn't start, so no tool
// can have written the text.
const (
	byClassifier = "Blocked by auto mode policy: "
	byPlanMode   = "Tool blocked by plan mode: "
	byPlanShell  = "Plan mode blocked this shell command because"
	byPlanDoubt  = "Plan mode could not determine whether this shell command is read-only"
	byPlanBegin  = "Tool call skipped because enter_plan_mode is an execution boundary."
	byRule       = "was denied by permission rules."
	byDeny       = " is denied."
	byPolicy     = "is not permitted by this agent's tool policy"
	byAllowlist  = "is not listed in the active core tools allowlist"
	noPrompt     = "requires permission, but background agents cannot prompt for confirmation."
	declined     = ", but that permission was declined"
	noTerminal   = " (non-interactive mode cannot prompt for confirmation)."
	byRuleNamed  = `. Matching deny rule: "`
	byHook       = "Permission denied by hook for "
	byHookAfter  = "Tool execution blocked by hook"
	notPlanning  = "You are not in plan mode"
)

// withoutTerminal are the tools that a run without a terminal denies, each by a rule with
// the tool's name (FORMAT.md §4.2).
var withoutTerminal = readers.SetOf(`run_shell_command monitor edit write_file`)

// setDenial sets who denied the call. A hook's denial has a decision, because the hook ran
// instead of the question (reject) or after it (accept, auto_accept).
func (o *outcome) setDenial(t *callEnd) {
	first, _, _ := strings.Cut(t.text, "\n")
	if t.decision == "" && strings.HasPrefix(first, notPlanning) {
		o.status, o.errorType = tables.StatusError, tables.ErrorInvalidCall
		return
	}
	o.status, o.denial = tables.StatusDenied, t.errorType
	switch {
	case t.decision != "":
		o.decidedBy = tables.ByHook
		if !strings.HasPrefix(t.text, byHook) && t.text != byHookAfter {
			o.reason = strings.TrimSpace(t.text)
		}
	case strings.HasPrefix(first, byClassifier):
		o.decidedBy, o.reason = tables.ByClassifier, strings.TrimSpace(strings.TrimPrefix(first, byClassifier))
	default:
		o.decidedBy, o.sure = t.deniedBy(first)
	}
}

// deniedBy returns who denied a call, by the first line of the denial.
func (t *callEnd) deniedBy(text string) (by string, sure float64) {
	_, declinedAs, isDeclined := strings.Cut(text, declined)
	rule, isNamed := strings.CutPrefix(declinedAs, byRuleNamed)
	rule, _, _ = strings.Cut(rule, `"`)
	switch {
	case strings.HasPrefix(text, byPlanMode), strings.HasPrefix(text, byPlanShell):
		return tables.ByMode, 1
	case strings.HasPrefix(text, byPlanDoubt), strings.HasPrefix(text, byPlanBegin):
		return tables.ByMode, unseen
	case strings.Contains(text, noPrompt):
		return tables.ByNobody, 1
	case declinedAs == noTerminal:
		return tables.ByNobody, unseen
	case isNamed && withoutTerminal[rule] && !t.terminal:
		return tables.ByNobody, maybeRule
	case isNamed, strings.Contains(text, byRule):
		return tables.ByRule, 1
	case isDeclined, strings.Contains(text, byPolicy), strings.HasSuffix(text, byDeny):
		return tables.ByRule, unseen
	case strings.Contains(text, byAllowlist):
		return tables.BySetting, unseen
	}
	return tables.ByUnknown, unseen
}

// errorTypes maps Qwen Code's error types to ours. Others are ErrorOther.
var errorTypes = map[string]string{
	"invalid_tool_params": tables.ErrorInvalidCall, "tool_not_registered": tables.ErrorInvalidCall,
	"file_not_found": tables.ErrorNotFound, timedOut: tables.ErrorTimeout,
}

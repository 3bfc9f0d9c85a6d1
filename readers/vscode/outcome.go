package vscode

import (
	"strings"

	"hindsql/internal/pattern"
	"hindsql/readers"
	"hindsql/tables"
)

// outcome is how a call ended.
type outcome struct {
	status     string
	errorType  string
	exitCode   tables.Maybe[int64] // from the text of the result
	by         string              // who refused; empty if the call wasn't refused
	evidence   string
	confidence float64
	cut        string // phase in which the user's stop ended the call; empty if it didn't
	abandoned  bool   // the model went on without finishing the call
}

var (
	ran          = outcome{status: tables.StatusOK}
	waits        = outcome{status: tables.StatusPending}
	abandoned    = outcome{status: tables.StatusPending, abandoned: true}
	neverRan     = outcome{status: tables.StatusInterrupted}
	cutStreaming = outcome{status: tables.StatusInterrupted, cut: tables.PhaseResponse}
	cutApproval  = outcome{status: tables.StatusInterrupted, cut: tables.PhaseApproval}
	cutTool      = outcome{status: tables.StatusInterrupted, cut: tables.PhaseTool}
	rejected     = outcome{status: tables.StatusRejected, by: tables.ByUser, evidence: tables.EvidenceRecorded, confidence: 1}
)

func denied(by string) outcome {
	return outcome{status: tables.StatusDenied, by: by, evidence: tables.EvidenceRecorded, confidence: 1}
}

func failedAs(errorType string) outcome {
	return outcome{status: tables.StatusError, errorType: errorType}
}

func inferred(o outcome, confidence float64) outcome {
	o.evidence, o.confidence = tables.EvidenceInferred, confidence
	return o
}

// sources maps the newest versions' words for who decided to the words of the tables.
var sources = map[string]string{"user": tables.ByUser, "hook": tables.ByHook, "riskAssessment": tables.ByClassifier}

// inferOutcome determines how a call ended (FORMAT.md §6.1): from the decision in its
// part, and from how the request ended. The text of the result is used only if these
// agree, because a tool may have written it.
func inferOutcome(t *call, r *request) outcome {
	p := t.part
	if p == nil {
		return inferUnseen(t, r)
	}
	switch d := p.decision; {
	case d.deny:
		return rejected
	case d.form == object && d.kind == kindSkipped:
		return inferSkipped(t, r)
	case d.form == object && d.kind == kindDenied:
		return inferRefused(t, r)
	case d.form == boolean && !d.yes:
		return inferRefusedBoolean(p, r)
	case d.form == undecided:
		return inferUndecided(t, r)
	}
	return inferAllowed(t, r)
}

// inferSkipped handles a decision of type 5. Three causes exist: the user chose Skip, a
// hook or Copilot's risk check refused the call, or the user stopped the request. When
// the user stops, VS Code writes type 5 on every part whose input was not complete yet,
// even if the model had given the call up long before.
func inferSkipped(t *call, r *request) outcome {
	p := t.part
	by := sources[p.decision.source]
	text := strings.TrimSpace(t.result)
	switch {
	case by == tables.ByHook || by == tables.ByClassifier:
		return denied(by)
	case t.hasResult && (text == textSkipped || text == textWithheld):
		return rejected
	case t.hasResult && strings.HasPrefix(text, textAutopilot):
		return denied(tables.ByClassifier)
	case p.finished && by == "":
		return waits // the file was written while the results waited for approval
	case r.state == cancelled && !t.hasResult && !p.isPrepared():
		if p.isLast() {
			return cutStreaming
		}
		return neverRan
	case by == tables.ByUser:
		return rejected
	case r.mode == autopilot:
		return inferred(denied(tables.ByUnknown), 0.6)
	}
	return inferred(rejected, 0.6) // the result that would say so is lost
}

const autopilot = "autopilot"

// inferRefused handles a decision of type 0: a hook refused, the user stopped the request
// while VS Code asked, or the user chose "no" in one of the few dialogs that have it.
func inferRefused(t *call, r *request) outcome {
	p := t.part
	by := sources[p.decision.source]
	switch {
	case by == tables.ByHook || by == tables.ByClassifier:
		return denied(by)
	case t.hasResult && strings.HasPrefix(t.result, textHook):
		return denied(tables.ByHook)
	case by == "" && p.hidden && (r.hasHook || strings.Contains(p.title, "hook")):
		return denied(tables.ByHook)
	case r.state == cancelled && !p.followedBy.text:
		return cutApproval
	}
	return rejected
}

// inferRefusedBoolean handles the decision false of old versions. Up to 1.103, VS Code
// wrote it when the user stopped the request, and when the user chose Cancel in the
// dialog, which also ended the turn.
func inferRefusedBoolean(p *part, r *request) outcome {
	switch {
	case p.incomplete && r.state == cancelled:
		return cutApproval
	case p.incomplete:
		return waits
	case r.state == cancelled && !p.followedBy.text:
		return inferred(rejected, 0.7)
	}
	return rejected
}

// inferUndecided handles a part without a decision. When VS Code saved the file, the
// call's input was still arriving, or the call waited for an answer. If VS Code saves a
// flat file while a request runs, it marks the request as cancelled, though no one
// stopped it.
func inferUndecided(t *call, r *request) outcome {
	if o, ok := inferFailure(t); ok {
		return o
	}
	switch {
	case t.hasResult || t.part.finished:
		return inferAllowed(t, r) // a version that doesn't record decisions
	case r.state.isUnfinished(), r.state == cancelled && !r.stopProven:
		return waits
	case r.state == cancelled && t.part.isLast():
		return cutStreaming
	}
	return abandoned
}

// isLast reports whether nothing of the model follows the part in the answer.
func (p *part) isLast() bool { return !p.followedBy.text && !p.followedBy.call && !p.followedBy.edit }

// inferAllowed handles a call that VS Code ran.
func inferAllowed(t *call, r *request) outcome {
	p := t.part
	if o, ok := inferFailure(t); ok {
		return o
	}
	stoppedIn := r.state == cancelled && !t.resultSeen && !p.followedBy.text
	switch {
	case stoppedIn && t.hasResult && strings.TrimSpace(t.result) == textCancelled:
		return cutTool
	case p.failed:
		return failedAs(tables.ErrorOther)
	case t.hasResult, p.finished, t.resultSeen, p.followedBy.text, p.followedBy.edit:
		return ran
	case stoppedIn && !p.followedBy.call:
		return cutTool // its result is lost, and the part shows no sign of an end
	case r.state.isUnfinished(), p.incomplete:
		return waits
	}
	return ran
}

// inferUnseen handles a call that VS Code never showed. A result with words of a refusal
// doesn't prove a refusal, because any tool may write the same words.
func inferUnseen(t *call, r *request) outcome {
	if o, ok := inferFailure(t); ok {
		return o
	}
	stopped := r.state == cancelled && !t.resultSeen
	switch {
	case stopped && (!t.hasResult || strings.TrimSpace(t.result) == textCancelled):
		return neverRan
	case t.hasResult:
		return ran
	}
	return waits
}

// These texts are results that the model gets in place of a tool's own result. VS Code
// doesn't translate them. A text about a decision is trusted only if the call's part
// records the same decision (FORMAT.md §6.1).
const (
	textSkipped   = "The user chose to skip the tool call, they want to proceed without running it"
	textWithheld  = "The tool executed but the user chose not to share the results"
	textAutopilot = "Autopilot skipped this tool call because it was automatically assessed as high-risk:"
	textHook      = "Tool execution denied:"
	textCancelled = "The user cancelled the tool call."
	textError     = "ERROR while calling tool:"
	textInvalid   = "ERROR: Your input to the tool was invalid ("
)

var (
	textDisabled = pattern.Lazy(`^(?:ERROR while calling tool: )?(?:Error: )?Tool .{1,200} is currently disabled by the user`)
	textUnknown  = pattern.Lazy(`^ERROR: The tool ".{0,200}" does not exist`)
	textExited   = pattern.Lazy(`(?:^|\n)Command exited with code (-?\d{1,10})\s*$`)
)

// isNeverShown reports whether Copilot itself refused the call, for example because the
// tool is unknown. VS Code then never got the call and shows no part of it.
func isNeverShown(t *call) bool {
	return t.hasResult && (strings.HasPrefix(t.result, textInvalid) || textUnknown.MatchString(t.result) || textDisabled.MatchString(t.result))
}

// inferFailure returns how the call failed, by the result's text or an exit code
// (FORMAT.md §6.3); false if they show no failure. A tool may also write the text about
// a disabled tool. So it is used only if VS Code never ran the call, and with evidence
// "wording".
func inferFailure(t *call) (outcome, bool) {
	decided := t.part != nil && t.part.decision.form != undecided
	switch text := t.result; {
	case t.hasResult && !decided && textDisabled.MatchString(text):
		o := denied(tables.BySetting)
		o.evidence, o.confidence = tables.EvidenceWording, 0.7
		return o, true
	case t.hasResult && (strings.HasPrefix(text, textInvalid) || textUnknown.MatchString(text)):
		return failedAs(tables.ErrorInvalidCall), true
	case t.hasResult && strings.HasPrefix(text, textError):
		return failedAs(tables.ErrorOther), true
	}
	if code := t.exitCode(); code.OK && code.Value != 0 {
		o := failedAs(tables.ErrorExitCode)
		o.exitCode = code
		return o, true
	}
	return outcome{}, false
}

// exitCode returns a command's exit code: from its part, otherwise from the last line
// of the model's result.
func (t *call) exitCode() tables.Maybe[int64] {
	if t.part != nil && t.part.terminal.exitCode.OK {
		return t.part.terminal.exitCode
	}
	if m := textExited.FindStringSubmatch(t.result); m != nil && t.hasResult && t.ToolName == runInTerminal {
		return readers.ExitCode(m[1], 64)
	}
	return tables.Maybe[int64]{}
}

const runInTerminal = "run_in_terminal"

var displayName = pattern.Lazy(`^\p{Lu}[\w-]*(?: (?:\p{Lu}[\w-]*|in|to|of|for|from|and|the|a|an))*$`)

// isPrepared reports whether VS Code had the call's whole input and so could ask about
// the call (FORMAT.md §6.2). While the input arrives, the part shows only the tool's
// name, like "Apply Patch" or `Using "Apply Patch"`. An edit's title doesn't tell,
// because it shows how far the input has arrived.
func (p *part) isPrepared() bool {
	title := strings.TrimPrefix(strings.TrimSpace(p.title), "Using ")
	switch {
	case p.hasData:
		return true
	case title == "", toolKinds[p.name] == tables.ToolEdit:
		return false
	case strings.HasPrefix(title, `"`) && strings.HasSuffix(title, `"`), title == p.toolID, title == p.name:
		return false
	}
	return !displayName.MatchString(title)
}

package vscode

import (
	"strings"

	"github.com/valyala/fastjson"

	"hindsql/readers"
	"hindsql/tables"
)

// decision is isConfirmed: who let a call run, or didn't (§5).
type decision struct {
	form   form
	kind   int64  // of the object form
	yes    bool   // of the boolean form
	source string // user, hook or riskAssessment; newest versions only
	deny   bool   // the user picked a button that means no
	detail string // the setting, scope, reason or button
}

type form int

const (
	undecided form = iota
	boolean
	object
)

// The kinds of the object form.
const (
	kindDenied = iota
	kindNotNeeded
	kindSetting
	kindRemembered
	kindUser
	kindSkipped
)

var kindWords = map[int64]string{
	kindDenied: "denied", kindNotNeeded: "not needed", kindSetting: "setting",
	kindRemembered: "remembered", kindUser: "user", kindSkipped: "skipped",
}

func decisionOf(v *fastjson.Value) decision {
	switch {
	case v == nil:
		return decision{}
	case v.Type() == fastjson.TypeTrue, v.Type() == fastjson.TypeFalse:
		return decision{form: boolean, yes: v.GetBool()}
	case v.Type() != fastjson.TypeObject:
		return decision{}
	}
	kind := readers.Int(v, "type")
	if !kind.OK {
		return decision{}
	}
	d := decision{form: object, kind: kind.Value, source: readers.Text(v, "source"), deny: readers.Text(v, "selectedButtonKind") == "deny"}
	for _, key := range []string{"id", "scope", "reason", "selectedButton"} {
		if text := markdown(v.Get(key)); text != "" {
			d.detail = text
			break
		}
	}
	return d
}

// allowed: the call was let run.
func (d decision) allowed() bool {
	return d.form == boolean && d.yes || d.form == object && d.kind != kindDenied && d.kind != kindSkipped && !d.deny
}

func (d decision) word() string {
	switch d.form {
	case boolean:
		return map[bool]string{true: "yes", false: "no"}[d.yes]
	case object:
		return kindWords[d.kind]
	}
	return ""
}

// outcome is how a call ended.
type outcome struct {
	status     string
	errorType  string
	by         string // who refused; empty where nobody did
	evidence   string
	confidence float64
	cut        string // the phase in which a stop met it
}

// The results that the model gets where a call wasn't simply run; they are not
// translated (§5).
const (
	textSkipped   = "The user chose to skip the tool call, they want to proceed without running it"
	textWithheld  = "The tool executed but the user chose not to share the results"
	textAutopilot = "Autopilot skipped this tool call because it was automatically assessed as high-risk:"
	textHook      = "Tool execution denied:"
	textCancelled = "The user cancelled the tool call."
	textError     = "ERROR while calling tool:"
	textDisabled  = "is currently disabled by the user, and cannot be called."
)

var (
	ran          = outcome{status: tables.StatusOK}
	waits        = outcome{status: tables.StatusPending}
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

// sources are who decided, as the newest versions say it.
var sources = map[string]string{"user": tables.ByUser, "hook": tables.ByHook, "riskAssessment": tables.ByClassifier}

// outcomeOf is the table of §5: isConfirmed by modelState by the text of the
// result.
func outcomeOf(t *call, r *request) outcome {
	if o, ok := byResult(t); ok {
		return o
	}
	p := t.part
	switch {
	case p == nil:
		return unseen(t, r)
	case p.decision.deny:
		return rejected
	case p.decision.form == object && p.decision.kind == kindSkipped:
		return skipped(p, r)
	case p.decision.form == object && p.decision.kind == kindDenied:
		return refused(p, r)
	case p.decision.form == boolean && !p.decision.yes:
		return refusedPlainly(p, r)
	case p.decision.form == undecided:
		return undecidedPart(t, r)
	}
	return allowedPart(t, r)
}

// byResult tells those ends that the text for the model tells alone.
func byResult(t *call) (outcome, bool) {
	source := ""
	if t.part != nil {
		source = t.part.decision.source
	}
	switch text := t.result; {
	case !t.answered:
	case strings.HasPrefix(text, textSkipped), strings.HasPrefix(text, textWithheld):
		if by := sources[source]; by != "" && by != tables.ByUser {
			return denied(by), true
		}
		return rejected, true
	case strings.HasPrefix(text, textAutopilot):
		return denied(tables.ByClassifier), true
	case strings.HasPrefix(text, textHook):
		return denied(tables.ByHook), true
	case strings.HasPrefix(text, textCancelled):
		return cutTool, true
	case strings.HasPrefix(text, textError) && strings.Contains(text, textDisabled):
		return denied(tables.ByRule), true
	case strings.HasPrefix(text, textError):
		return failedAs(tables.ErrorOther), true
	}
	return outcome{}, false
}

// skipped: the user's Skip, a gate's, or a stop while the input streamed.
func skipped(p *part, r *request) outcome {
	by := sources[p.decision.source]
	switch {
	case by == tables.ByHook || by == tables.ByClassifier:
		return denied(by)
	case p.finished && by == "":
		return waits // written while the results waited for approval
	case r.state == cancelled && !p.wentOn.text && !p.wentOn.ran:
		return cutStreaming
	case r.modeAutopilot && by == "":
		return outcome{status: tables.StatusDenied, by: tables.ByUnknown, evidence: tables.EvidenceRecorded, confidence: 1}
	case r.state == cancelled:
		return inferred(rejected, 0.9)
	}
	return rejected
}

// refused: a hook, a stop while the confirmation was pending, or one of the few
// dialogs that have a no.
func refused(p *part, r *request) outcome {
	by := sources[p.decision.source]
	switch {
	case by == tables.ByHook || by == tables.ByClassifier:
		return denied(by)
	case by == "" && p.hidden && (r.hooks || strings.Contains(p.title, "hook")):
		return denied(tables.ByHook)
	case r.state == cancelled && !p.wentOn.text:
		return cutApproval
	}
	return rejected
}

// refusedPlainly: up to 1.103 the dialog's Cancel, which ended the turn, and a
// stop were written alike.
func refusedPlainly(p *part, r *request) outcome {
	switch {
	case p.incomplete && r.state == cancelled:
		return cutApproval
	case p.incomplete:
		return waits
	case r.state == cancelled && !p.wentOn.text:
		return inferred(rejected, 0.7)
	}
	return rejected
}

// undecidedPart: it waited for an answer, or streamed, when it was written. A
// stop would have been its decision: a flat file calls cancelled what was going
// on when it was saved (§3, end).
func undecidedPart(t *call, r *request) outcome {
	switch {
	case t.answered || t.part.finished:
		return allowedPart(t, r) // of a version that doesn't record decisions
	case r.state == cancelled && r.oldStop:
		return cutApproval
	}
	return waits
}

func allowedPart(t *call, r *request) outcome {
	p := t.part
	switch {
	case p.failed:
		return failedAs(tables.ErrorOther)
	case p.terminal.exitCode.OK && p.terminal.exitCode.Value != 0:
		return failedAs(tables.ErrorExitCode)
	case t.answered, p.finished, p.wentOn.text:
		return ran
	case r.state == cancelled:
		return cutTool
	case r.state.unfinished(), p.incomplete:
		return waits
	}
	return ran
}

// unseen: a call that the user was shown nothing of.
func unseen(t *call, r *request) outcome {
	switch {
	case t.answered:
		return ran
	case r.state == cancelled:
		return cutTool
	}
	return waits
}

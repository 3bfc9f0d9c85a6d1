package vscode

import (
	"strings"

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
	cut        string // the phase in which the user's stop cut the call
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

// sources maps the newest versions' word for who decided.
var sources = map[string]string{"user": tables.ByUser, "hook": tables.ByHook, "riskAssessment": tables.ByClassifier}

// outcomeOf determines a call's end (FORMAT.md §6.1) from the part's decision and the
// request's end. The text of the result counts only together with these, because a tool
// may have written it.
func outcomeOf(t *call, r *request) outcome {
	p := t.part
	if p == nil {
		return unseen(t, r)
	}
	switch d := p.decision; {
	case d.deny:
		return rejected
	case d.form == object && d.kind == kindSkipped:
		return skipped(t, r)
	case d.form == object && d.kind == kindDenied:
		return refused(t, r)
	case d.form == boolean && !d.yes:
		return refusedPlainly(p, r)
	case d.form == undecided:
		return undecidedPart(t, r)
	}
	return allowedPart(t, r)
}

// skipped handles type 5: the user's Skip, a gate's, or a stop. A stop marks every part
// whose input still streamed as skipped, even a part that the model left long before.
func skipped(t *call, r *request) outcome {
	p := t.part
	by := sources[p.decision.source]
	text := strings.TrimSpace(t.result)
	switch {
	case by == tables.ByHook || by == tables.ByClassifier:
		return denied(by)
	case t.answered && (text == textSkipped || text == textWithheld):
		return rejected
	case t.answered && strings.HasPrefix(text, textAutopilot):
		return denied(tables.ByClassifier)
	case p.finished && by == "":
		return waits // the file was written while the results waited for approval
	case r.state == cancelled && !t.answered && !p.prepared():
		if p.last() {
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

// refused handles type 0: a hook, a stop at a pending confirmation, or one of the few
// dialogs with a "no".
func refused(t *call, r *request) outcome {
	p := t.part
	by := sources[p.decision.source]
	switch {
	case by == tables.ByHook || by == tables.ByClassifier:
		return denied(by)
	case t.answered && strings.HasPrefix(t.result, textHook):
		return denied(tables.ByHook)
	case by == "" && p.hidden && (r.hooks || strings.Contains(p.title, "hook")):
		return denied(tables.ByHook)
	case r.state == cancelled && !p.wentOn.text:
		return cutApproval
	}
	return rejected
}

// refusedPlainly handles false. Up to 1.103, VS Code wrote a stop and the dialog's
// Cancel, which ended the turn, alike.
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

// undecidedPart handles a part without a decision: when the file was written, the input
// streamed or the call waited for an answer. A flat file marks requests that were still
// running as cancelled.
func undecidedPart(t *call, r *request) outcome {
	if o, ok := failure(t); ok {
		return o
	}
	switch {
	case t.answered || t.part.finished:
		return allowedPart(t, r) // a version that doesn't record decisions
	case r.state.unfinished(), r.state == cancelled && !r.stopProven:
		return waits
	case r.state == cancelled && t.part.last():
		return cutStreaming
	}
	return abandoned
}

// last reports whether the model sent nothing after the part.
func (p *part) last() bool { return !p.wentOn.text && !p.wentOn.call && !p.wentOn.edit }

// allowedPart handles a call that was let run.
func allowedPart(t *call, r *request) outcome {
	p := t.part
	if o, ok := failure(t); ok {
		return o
	}
	stoppedIn := r.state == cancelled && !t.answeredOn && !p.wentOn.text
	switch {
	case stoppedIn && t.answered && strings.TrimSpace(t.result) == textCancelled:
		return cutTool
	case p.failed:
		return failedAs(tables.ErrorOther)
	case t.answered, p.finished, t.answeredOn, p.wentOn.text, p.wentOn.edit:
		return ran
	case stoppedIn && !p.wentOn.call:
		return cutTool // its result is lost, and the part shows no sign of an end
	case r.state.unfinished(), p.incomplete:
		return waits
	}
	return ran
}

// unseen handles a call without a part. Its result alone doesn't prove a refusal: any
// tool may write the same words.
func unseen(t *call, r *request) outcome {
	if o, ok := failure(t); ok {
		return o
	}
	stopped := r.state == cancelled && !t.answeredOn
	switch {
	case stopped && (!t.answered || strings.TrimSpace(t.result) == textCancelled):
		return neverRan
	case t.answered:
		return ran
	}
	return waits
}

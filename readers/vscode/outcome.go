package vscode

import (
	"strings"

	"hindsql/tables"
)

// outcome is how a call ended.
type outcome struct {
	status     string
	errorType  string
	exitCode   tables.Maybe[int64] // that the text of the result tells
	by         string              // who refused; empty where nobody did
	evidence   string
	confidence float64
	cut        string // the phase in which a stop met it
	abandoned  bool   // the model went on without having finished it
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

// sources are who decided, as the newest versions say it.
var sources = map[string]string{"user": tables.ByUser, "hook": tables.ByHook, "riskAssessment": tables.ByClassifier}

// outcomeOf works out a call's end (FORMAT.md §6.1): what was decided, as the
// part has it, how the request ended, and only together with these the text of
// the result, which a tool may have written.
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

// skipped: the user's Skip, a gate's, or a stop, which marks every part whose
// input still streamed as skipped, also one that the model left long before.
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
		return waits // written while the results waited for approval
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
	return inferred(rejected, 0.6) // the result that says so is lost
}

const autopilot = "autopilot"

// refused: a hook, a stop while the confirmation was pending, or one of the few
// dialogs that have a no.
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

// undecidedPart: its input streamed, or it waited for an answer, when it was
// written. A flat file calls cancelled what was going on when it was saved.
func undecidedPart(t *call, r *request) outcome {
	if o, ok := failure(t); ok {
		return o
	}
	switch {
	case t.answered || t.part.finished:
		return allowedPart(t, r) // of a version that doesn't record decisions
	case r.state.unfinished(), r.state == cancelled && !r.stopProven:
		return waits
	case r.state == cancelled && t.part.last():
		return cutStreaming
	}
	return abandoned
}

// last: nothing of the model came after it.
func (p *part) last() bool { return !p.wentOn.text && !p.wentOn.call && !p.wentOn.edit }

// allowedPart: the call was let run.
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
		return cutTool // its result is lost, and nothing says that it had ended
	case r.state.unfinished(), p.incomplete:
		return waits
	}
	return ran
}

// unseen: a call that the user was shown nothing of. Its result alone can't
// tell of a refusal: any tool may write the same words.
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

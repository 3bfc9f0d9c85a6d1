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

// outcomeOf determines how a call ended (FORMAT.md §6.1): from the decision in its
// part, and from how the request ended. The text of the result is used only if these
// agree, because a tool may have written it.
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

// skipped handles a decision of type 5. Three causes exist: the user chose Skip, a hook
// or Copilot's risk check refused the call, or the user stopped the request. When the
// user stops, VS Code writes type 5 on every part whose input was not complete yet,
// even if the model had given the call up long before.
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

// refused handles a decision of type 0: a hook refused, the user stopped the request
// while VS Code asked, or the user chose "no" in one of the few dialogs that have it.
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

// refusedPlainly handles the decision false of old versions. Up to 1.103, VS Code wrote
// it when the user stopped the request, and when the user chose Cancel in the dialog,
// which also ended the turn.
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

// undecidedPart handles a part without a decision. When VS Code saved the file, the
// call's input was still arriving, or the call waited for an answer. If VS Code saves a
// flat file while a request runs, it marks the request as cancelled, though no one
// stopped it.
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

// last reports whether nothing of the model follows the part in the answer.
func (p *part) last() bool { return !p.wentOn.text && !p.wentOn.call && !p.wentOn.edit }

// allowedPart handles a call that VS Code ran.
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

// unseen handles a call that VS Code never showed. A result with words of a refusal
// doesn't prove a refusal, because any tool may write the same words.
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

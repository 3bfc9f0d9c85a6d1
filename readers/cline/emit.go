package cline

import (
	"cmp"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// emitEntry emits a message's rows.
func emitEntry(emit func(tables.Event), e *entry) {
	emit(&e.Message)
	if e.summary != nil {
		emit(e.summary)
	}
	for _, c := range e.calls {
		emit(&c.ToolCall)
	}
	for _, r := range e.results {
		emitResult(emit, e, r)
	}
	if e.failed {
		emit(e.newFailure())
	}
	for _, i := range e.stops {
		emit(i)
	}
}

func (e *entry) newFailure() *tables.Failure {
	f := &tables.Failure{
		PartialUnknown: true,
		Marker:         cmp.Or(e.failure, e.Text),
		Evidence:       tables.EvidenceRecorded,
		Confidence:     cmp.Or(e.confidence, 1),
		Timestamp:      e.Timestamp,
	}
	if e.Kind == tables.KindResponse {
		f.CutUUID, f.PartialUnknown = e.UUID, false
	}
	return f
}

func emitResult(emit func(tables.Event), e *entry, r *result) {
	if r.Status == tables.StatusOK && r.answered != "" && r.call != nil {
		r.setAnswers()
	}
	r.Extra = readers.Object(r.extra)
	emit(&r.ToolResult)
	switch {
	case r.refusal == nil:
		if r.Answers != nil || r.granted {
			emit(&tables.Decision{
				ToolUseID: r.ToolUseID, Decision: tables.Granted, DecidedBy: tables.ByUser, Scope: tables.ScopeOnce, Confidence: r.confidence, WaitUnknown: true,
			})
		}
		return
	case r.refusal.by == "": // dropped with a refused call
		return
	}
	refusal := &tables.Rejection{
		ToolUseID:  r.ToolUseID,
		DecidedBy:  r.refusal.by,
		Reason:     r.reason,
		Evidence:   tables.EvidenceWording,
		Confidence: r.refusal.confidence,
		Timestamp:  e.Timestamp,
	}
	if r.Status == tables.StatusDenied {
		refusal.RejectionType = tables.RejectPermission
	}
	emit(refusal)
	// The results of a batch are written together, long after some of the answers.
	emit(&tables.Decision{ToolUseID: r.ToolUseID, WaitUnknown: true})
}

// setAnswers sets what the user answered to a question: an option, or words.
func (r *result) setAnswers() {
	input, err := fastjson.Parse(r.call.Input)
	if err != nil || readers.Text(input, "question") == "" {
		return
	}
	a := tables.Answer{Question: readers.Text(input, "question"), Options: []string{}}
	a.Options = append(a.Options, readers.Texts(input.GetArray("options"))...)
	if a.SetAnswer(r.answered); a.IsAnswered() {
		r.Answers = []tables.Answer{a}
	}
}

// firstOption returns the first option of a question; empty if it has none.
func (r *result) firstOption() string {
	if r.answered == "" || r.call == nil {
		return ""
	}
	input, err := fastjson.Parse(r.call.Input)
	if err != nil {
		return ""
	}
	return readers.Text(input, "options", "0")
}

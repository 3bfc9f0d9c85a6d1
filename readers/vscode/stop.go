package vscode

import (
	"slices"

	"hindsql/tables"
)

// end emits what ended a turn before its time: the user's stop, once, or an
// error.
func (e *emitter) end(r *request) {
	if r.failure != nil {
		e.message(r, r.failure, "")
		e.in.Emit(&tables.Failure{
			CutUUID: r.lastUUID(),
			Marker:  r.failure.Text, Evidence: tables.EvidenceRecorded, Confidence: 1, Timestamp: r.failure.Timestamp,
		})
	}
	if r.state == cancelled && !r.savedUnfinished() {
		e.in.Emit(r.stop())
	}
}

// savedInIt is how sure a stop is where a flat file may have been saved while the
// answer came: seven of seven that others' logs had were stops.
const savedInIt = 0.9

// stop is the user's, one for all calls that it met (FORMAT.md §6.2). Where it
// met none the model was answering, and what it had said since its last call is
// what was cut: maybe nothing, never what it had said before.
func (r *request) stop() *tables.Interruption {
	i := &tables.Interruption{
		Type: tables.InterruptedByUser, Phase: tables.PhaseResponse, CutUUID: r.lastUUID(),
		PartialOutput: r.partial, PartialUnknown: r.partial == "",
		Marker: r.stopMarker, Evidence: tables.EvidenceRecorded, Confidence: 1, Timestamp: r.ended,
	}
	t := r.firstCut()
	if last := r.lastRound(); t == nil && r.partial == "" && last != nil && len(last.calls) > 0 {
		i.CutNothing = true // of the answer to their results nothing had come
	}
	if t != nil {
		i.Phase, i.ToolUseID, i.CutUUID = t.cutIn(), t.ToolUseID, t.home.UUID
		i.PairedRejection = t.outcome.by != ""
		i.PartialOutput = ""
		if i.Phase == tables.PhaseTool {
			i.PartialOutput = t.part.terminal.output
		}
	}
	if !r.stopProven && (t == nil || t.part.decision.allowed()) {
		// A flat file calls cancelled what was going on when it was saved.
		i.Evidence, i.Confidence = tables.EvidenceInferred, savedInIt
	}
	return i
}

// firstCut is the call that the user was looking at when stopping; nil for none.
// Of a subagent it is the call that started it.
func (r *request) firstCut() *call {
	var first *call
	rank := 0
	for _, t := range r.shownCalls() {
		if n := ranks[t.cutIn()]; n > rank && t.home.agent == "" {
			first, rank = t, n
		}
	}
	return first
}

// ranks order the phases in which one stop can meet several calls.
var ranks = map[string]int{tables.PhaseResponse: 1, tables.PhaseTool: 2, tables.PhaseApproval: 3}

// cutIn is the phase in which a stop met the call. The Cancel of the old dialog
// ended the turn as well.
func (t *call) cutIn() string {
	if t.outcome.by == tables.ByUser && t.outcome.evidence == tables.EvidenceInferred && t.part.decision.form == boolean {
		return tables.PhaseApproval
	}
	return t.outcome.cut
}

// shownCalls are the calls that the request's end can have met: its own, but for
// those that the next one went on with, and those it went on with itself.
func (r *request) shownCalls() []*call {
	list := r.continued
	for _, b := range r.rounds {
		for _, t := range b.calls {
			if t.shownIn == nil {
				list = append(list, t)
			}
		}
	}
	return list
}

// lastUUID is the message that was cut: the last of the answer, else the
// question.
func (r *request) lastUUID() string {
	if last := r.lastRound(); last != nil {
		return last.UUID
	}
	return r.uuid
}

// lastRound is the last part of the answer; nil for none.
func (r *request) lastRound() *round {
	for _, b := range slices.Backward(r.rounds) {
		if !b.IsSidechain {
			return b
		}
	}
	return nil
}

// savedUnfinished: a call still waits for its answer, so that nobody stopped
// the turn; see undecidedPart.
func (r *request) savedUnfinished() bool {
	for _, t := range r.shownCalls() {
		if t.outcome.status == tables.StatusPending && !t.outcome.abandoned && t.part != nil && t.part.decision.form == undecided {
			return true
		}
	}
	return false
}

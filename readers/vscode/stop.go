package vscode

import (
	"slices"

	"hindsql/tables"
)

// end emits what ended an answer early: an error, or the user's stop (one for all
// calls).
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

// savedInIt is the confidence that the user stopped a request if the flat file may also
// have been saved while the request ran. In other people's logs, all seven such
// requests had been stopped.
const savedInIt = 0.9

// stop returns the user's interruption of the request, one for all its calls (FORMAT.md
// §6.2). If no call was open, the user stopped the model's text: the text since the
// last call, which may be empty.
func (r *request) stop() *tables.Interruption {
	i := &tables.Interruption{
		Type: tables.InterruptedByUser, Phase: tables.PhaseResponse, CutUUID: r.lastUUID(),
		PartialOutput: r.partial, PartialUnknown: r.partial == "",
		Marker: r.stopMarker, Evidence: tables.EvidenceRecorded, Confidence: 1, Timestamp: r.ended,
	}
	t := r.firstCut()
	if last := r.lastRound(); t == nil && r.partial == "" && last != nil && len(last.calls) > 0 {
		i.CutNothing = true // the model had not begun to answer the results
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
		// A flat file marks requests that were still running as cancelled.
		i.Evidence, i.Confidence = tables.EvidenceInferred, savedInIt
	}
	return i
}

// firstCut returns the call that was open on the screen when the user stopped the
// request; nil if none. A subagent's calls are left out: the call that started the
// subagent counts.
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

// ranks orders the phases if one stop meets several calls.
var ranks = map[string]int{tables.PhaseResponse: 1, tables.PhaseTool: 2, tables.PhaseApproval: 3}

// cutIn returns the phase in which the user's stop ended the call; empty if it didn't.
// A Cancel in the dialog of old versions counts as a stop, because it ended the turn.
func (t *call) cutIn() string {
	if t.outcome.by == tables.ByUser && t.outcome.evidence == tables.EvidenceInferred && t.part.decision.form == boolean {
		return tables.PhaseApproval
	}
	return t.outcome.cut
}

// shownCalls returns the calls that may have been open when the request ended: its own
// calls, except calls continued in the next request, and the calls continued from the
// previous request.
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

// lastUUID returns the id of the message that was stopped: the last message of the
// answer, or the question if there is no answer.
func (r *request) lastUUID() string {
	if last := r.lastRound(); last != nil {
		return last.UUID
	}
	return r.uuid
}

// lastRound returns the last message of the answer; nil if none.
func (r *request) lastRound() *round {
	for _, b := range slices.Backward(r.rounds) {
		if !b.IsSidechain {
			return b
		}
	}
	return nil
}

// savedUnfinished reports whether a call still waits for the user's answer. Then VS
// Code only saved the file while the request ran, and the user didn't stop it (see
// undecidedPart).
func (r *request) savedUnfinished() bool {
	for _, t := range r.shownCalls() {
		if t.outcome.status == tables.StatusPending && !t.outcome.abandoned && t.part != nil && t.part.decision.form == undecided {
			return true
		}
	}
	return false
}

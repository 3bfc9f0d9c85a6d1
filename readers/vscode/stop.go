package vscode

import (
	"slices"

	"hindsql/tables"
)

// emitEnd emits what ended an answer early: an error, or the user's stop (one for all
// calls).
func (e *emitter) emitEnd(r *request) {
	if r.failure != nil {
		e.emitMessage(r, r.failure, "")
		e.in.Emit(&tables.Failure{
			CutUUID: r.lastUUID(),
			Marker:  r.failure.Text, Evidence: tables.EvidenceRecorded, Confidence: 1, Timestamp: r.failure.Timestamp,
		})
	}
	if r.state == cancelled && !r.isSavedUnfinished() {
		e.in.Emit(r.newInterruption())
	}
}

// savedWhileRunning is the confidence that the user stopped a request if the flat file
// may also have been saved while the request ran. In other people's logs, all seven such
// requests had been stopped.
const savedWhileRunning = 0.9

// newInterruption returns the user's interruption of the request, one for all its calls
// (FORMAT.md §6.2). If no call was open, the user stopped the model's text: the text
// since the last call, which may be empty.
func (r *request) newInterruption() *tables.Interruption {
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
		i.Phase, i.ToolUseID, i.CutUUID = t.stopPhase(), t.ToolUseID, t.round.UUID
		i.PairedRejection = t.outcome.by != ""
		i.PartialOutput = ""
		if i.Phase == tables.PhaseTool {
			i.PartialOutput = t.part.terminal.output
		}
	}
	if !r.stopProven && (t == nil || t.part.decision.isAllowed()) {
		// A flat file marks requests that were still running as cancelled.
		i.Evidence, i.Confidence = tables.EvidenceInferred, savedWhileRunning
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
		if n := phaseRanks[t.stopPhase()]; n > rank && t.round.agent == "" {
			first, rank = t, n
		}
	}
	return first
}

// phaseRanks orders the phases if one stop meets several calls.
var phaseRanks = map[string]int{tables.PhaseResponse: 1, tables.PhaseTool: 2, tables.PhaseApproval: 3}

// stopPhase returns the phase in which the user's stop ended the call; empty if it
// didn't. A Cancel in the dialog of old versions counts as a stop, because it ended the
// turn.
func (t *call) stopPhase() string {
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

// isSavedUnfinished reports whether a call still waits for the user's answer. Then VS
// Code only saved the file while the request ran, and the user didn't stop it (see
// inferUndecided).
func (r *request) isSavedUnfinished() bool {
	return slices.ContainsFunc(r.shownCalls(), func(t *call) bool {
		return t.outcome.status == tables.StatusPending && !t.outcome.abandoned && t.part != nil && t.part.decision.form == undecided
	})
}

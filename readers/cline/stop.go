package cline

import (
	"slices"
	"time"

	"hindsql/readers"
	"hindsql/tables"
)

// continuation is what Cline writes itself, in a user's wrapper, after
// switch_to_act_mode (FORMAT.md §3.1).
const continuation = "The user approved switching to act mode. Continue with the approved plan now."

// inferKinds decides what a message means by the messages around it.
func (s *session) inferKinds() {
	typist := s.promptAuthor()
	switched := false // the results since the last response are those of switch_to_act_mode
	for _, e := range s.entries {
		switch e.Kind {
		case tables.KindToolResult:
			for _, r := range e.results {
				switched = switched || r.tool == "switch_to_act_mode" && r.Status == tables.StatusOK
				if s.manifest.headless && r.answered == r.firstOption() {
					r.answered = "" // without a terminal, Cline itself takes the first option
				}
			}
			continue
		case tables.KindPrompt:
			if switched && e.typed == continuation {
				e.Kind = tables.KindInjected
			} else {
				e.TypedBy = typist
			}
		case tables.KindCommand:
			e.TypedBy = typist
		}
		switched = false
	}
}

// inferStops finds the stops, and the times that say nothing (FORMAT.md §5).
func (s *session) inferStops() {
	for i, e := range s.entries {
		for _, c := range e.calls {
			if len(e.calls) > 1 && c.result != nil {
				c.result.DurationUnknown = true // a batch's results are written together
			}
		}
		s.inferBatchStops(e)
		e.hasRun = e.haveAllRun()
		s.inferCutAnswer(i)
	}
}

// inferBatchStops finds the stops of a message's calls.
func (s *session) inferBatchStops(e *entry) {
	var refused, dropped *call
	stopped := false
	for _, c := range e.calls {
		switch r := c.result; {
		case r == nil:
		case r.isStopped && r.at != nil:
			r.Status, r.ErrorType = tables.StatusInterrupted, ""
			if !stopped { // one keypress stops all calls of the batch
				r.at.stops = append(r.at.stops, s.newCallStop(c))
			}
			stopped = true
		case r.refusal == nil:
		case r.Status == tables.StatusSkipped:
			dropped = c
		case r.Status == tables.StatusRejected:
			refused = c
		}
	}
	if dropped == nil {
		return
	}
	if refused == nil { // the stop came while a call of the batch ran
		for _, c := range e.calls {
			if c.result != nil && c.result.Status == tables.StatusSkipped {
				c.result.Status = tables.StatusInterrupted
			}
		}
	}
	if stopped {
		return
	}
	// Ctrl-C at the question: one call was refused, and the others were dropped.
	i := s.newStop(tables.PhaseApproval, refused)
	i.Evidence, i.Confidence, i.Marker = tables.EvidenceInferred, recordedSentence, notExecuted
	i.PairedRejection = refused != nil
	i.CutUUID, i.Timestamp = e.UUID, dropped.result.Timestamp
	last := dropped.result.at
	last.stops = append(last.stops, i)
}

// newCallStop returns the stop of a call that ran, or waited in an editor.
func (s *session) newCallStop(c *call) *tables.Interruption {
	phase := tables.PhaseTool
	if c.result.marker == followUp || c.result.marker == notAnswered {
		phase = tables.PhaseApproval
	}
	i := s.newStop(phase, c)
	switch i.Marker = c.result.marker; i.Marker {
	case aborted:
	case childAborted:
		i.Evidence, i.Confidence = tables.EvidenceRecorded, sourceSentence
	default:
		i.Confidence = sourceSentence
	}
	return i
}

// newStop returns a stop by the user. A subagent's always has the phase of subagents,
// because its parent has the same keypress.
func (s *session) newStop(phase string, c *call) *tables.Interruption {
	if s.isSubagent() {
		phase = tables.PhaseSubagent
	}
	i := &tables.Interruption{
		Type:       tables.InterruptedByUser,
		Phase:      phase,
		Evidence:   tables.EvidenceWording,
		Confidence: recordedSentence,
	}
	if c != nil {
		i.ToolUseID, i.CutUUID, i.Timestamp = c.ToolUseID, c.at.UUID, c.result.Timestamp
	}
	return i
}

// byMissingAnswer is the confidence of a stop that only a missing answer shows.
const byMissingAnswer = 0.6

// inferCutAnswer infers that the user stopped an answer, of which Cline keeps nothing:
// the user's next message follows without an answer between, or the session ended so.
func (s *session) inferCutAnswer(i int) {
	e := s.entries[i]
	if e.Kind != tables.KindPrompt && e.Kind != tables.KindCommand && e.Kind != tables.KindToolResult {
		return
	}
	for _, next := range s.entries[i+1:] {
		switch next.Kind {
		case tables.KindInjected, tables.KindNotice, tables.KindSummary:
			continue // may stand between
		case tables.KindPrompt, tables.KindCommand:
			if awaitsAnswer(e) && !s.isSteered(e, next) && !s.isKilled(e, next) {
				e.stops = append(e.stops, s.newCutAnswer(e))
			}
		}
		return
	}
	if s.endsAt(e) && !s.isSubagent() && awaitsAnswer(e) {
		e.stops = append(e.stops, s.newCutAnswer(e))
	}
}

// minThinking is the least time in which a person stops an answer and types the next
// prompt.
const minThinking = 1500 * time.Millisecond

// isSteered reports whether a prompt was typed while tools ran: Cline then puts it right
// behind their results, with userRunSpan 0.
func (s *session) isSteered(e, next *entry) bool {
	return e.Kind == tables.KindToolResult && (next.isSteering || next.Timestamp.Sub(e.Timestamp) < minThinking)
}

// isKilled reports whether the program was found gone between two messages.
func (s *session) isKilled(e, next *entry) bool {
	at := s.manifest.markedAt
	return !at.IsZero() && at.After(e.Timestamp) && !at.After(next.Timestamp)
}

// endsAt reports whether the session waits for a prompt after its last message, or has
// ended without a failure. A session that ended after results may have reached a limit.
func (s *session) endsAt(last *entry) bool {
	switch s.manifest.status {
	case "idle":
		return true
	case "completed", "cancelled":
		return last.Kind != tables.KindToolResult
	}
	return false
}

// awaitsAnswer reports whether the model has to answer after a message: a prompt, or the
// last result of a batch whose calls all ran.
func awaitsAnswer(e *entry) bool {
	return !slices.ContainsFunc(e.results, func(r *result) bool { return r.call == nil || !r.call.at.hasRun })
}

// haveAllRun reports whether all calls of a message ran to their end, and the model has
// to answer.
func (e *entry) haveAllRun() bool {
	return !slices.ContainsFunc(e.calls, func(c *call) bool {
		return c.result == nil || c.result.refusal != nil || c.result.Status == tables.StatusInterrupted || endsRun[c.ToolName]
	})
}

// endsRun lists the tools whose success ends the work without an answer.
var endsRun = readers.SetOf(`submit_and_exit attempt_completion`)

func (s *session) newCutAnswer(e *entry) *tables.Interruption {
	return &tables.Interruption{
		Type:           tables.InterruptedByUser,
		Phase:          tables.PhaseResponse,
		CutNothing:     true,
		PartialUnknown: true,
		Evidence:       tables.EvidenceInferred,
		Confidence:     byMissingAnswer,
		Timestamp:      e.Timestamp,
	}
}

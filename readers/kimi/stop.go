package kimi

import (
	"cmp"
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// Confidence of a stop whose own line is missing, or doesn't say who stopped.
const stopInferred = 0.8

// cancel handles a keypress, or the end of the program, that stops a turn. A prompt that
// is taken out of the queue stops nothing (FORMAT.md §6).
func (w *wire) cancel(v *fastjson.Value) {
	if readers.Text(v, "target") == "queued" || w.turn.cancelled && (w.turn.id == turnID(v) || !v.Exists("turnId")) {
		return
	}
	w.turn.cancelled = true
	i := w.newStop(readers.Text(v, "reason"), 1)
	switch i.Marker {
	case "user_cancelled":
	case "aborted":
		i.Type = tables.InterruptedBySystem
	default:
		i.Confidence = stopInferred
	}
	w.turn.stop = i
	if w.openStep() == nil {
		w.emitStop()
	}
}

// newStop returns a stop at the current line by the user. Calls without a result were cut
// while they ran, or while a person was asked.
func (w *wire) newStop(marker string, confidence float64) *tables.Interruption {
	i := &tables.Interruption{
		Type: tables.InterruptedByUser, Phase: tables.PhaseResponse, CutNothing: true, Marker: marker,
		Evidence: tables.EvidenceRecorded, Confidence: confidence, Timestamp: w.chat.at,
	}
	if s := w.openStep(); s != nil {
		i.CutNothing, i.CutUUID = false, s.UUID
		s.setPhase(i)
	}
	return i
}

// setPhase sets the phase of a stop, and the call that it cut if it is one alone.
func (s *step) setPhase(i *tables.Interruption) {
	var running, waiting []*call
	for _, c := range s.calls {
		switch {
		case c.result != nil:
			if c.result.cancelled {
				running = append(running, c)
			}
		case c.ask != nil && (!c.ask.isAnswered || c.ask.decision == cancelled):
			c.ask.isStopped = true
			waiting = append(waiting, c)
		case c.ask == nil || c.ask.decision == approved:
			running = append(running, c)
		}
	}
	switch {
	case len(waiting) > 0:
		i.Phase, i.ToolUseID = tables.PhaseApproval, waiting[len(waiting)-1].ToolUseID
	case len(running) > 0:
		i.Phase = tables.PhaseTool
		if len(running) == 1 {
			i.ToolUseID = running[0].ToolUseID
		}
	}
}

// emitStop emits the stop of the turn.
func (w *wire) emitStop() {
	i := w.turn.stop
	if i == nil {
		return
	}
	w.turn.stop = nil
	if s := w.step; s != nil && s.UUID == i.CutUUID && s.isEmpty() {
		i.CutNothing, i.CutUUID = true, ""
	}
	i.Phase = w.facts.stopPhase(i.Phase)
	w.in.Emit(i)
}

// setPartialOutput keeps what a stopped command had printed.
func (t *turn) setPartialOutput(c *call, r *tables.ToolResult) {
	i := t.stop
	if i == nil || i.ToolUseID != c.ToolUseID || r.Status != tables.StatusInterrupted || c.ToolKind != tables.ToolCommand {
		return
	}
	if text, is := strings.CutSuffix(r.Output, interruptedByUser); is {
		i.PartialOutput = strings.TrimSuffix(text, "\n")
	}
}

// inferStop makes a stop of which only the consequences stand in the wire, because the
// stop's own line is missing. The results of the calls that it cut say so.
func (w *wire) inferStop() {
	w.turn.cancelled = true
	if s := w.openStep(); s != nil {
		for _, c := range s.calls {
			if r := c.result; r != nil && r.failed && (strings.HasSuffix(r.output, interruptedByUser) || strings.HasPrefix(r.output, interruptedWithMates)) {
				r.cancelled = true
			}
		}
	}
	w.turn.stop = w.newStop("", stopInferred)
	w.turn.unnamed = w.turn.stop
}

// stepInterrupted handles the end of a step that failed or was stopped. It keeps the
// message of a failure, in case the line with the turn's end is missing. A stop by the
// program has a message; a user's has none.
func (w *wire) stepInterrupted(v *fastjson.Value) {
	message := readers.Text(v, "message")
	switch readers.Text(v, "reason") {
	case "error", "max_steps":
		w.turn.failed = cmp.Or(message, "error")
	case "aborted":
		if i := w.turn.unnamed; i != nil && message != "" {
			i.Type, i.Marker = tables.InterruptedBySystem, message
		}
	}
}

// retrying handles a failed request that Kimi Code will send again.
func (w *wire) retrying(v *fastjson.Value) {
	w.closeStep()
	var extra readers.Extra
	code := readers.Text(v, "errorName")
	extra.Text("code", code)
	extra.Int("status_code", readers.Int(v, "statusCode"))
	extra.Int("attempt", readers.Int(v, "failedAttempt"))
	w.emitFailure(readers.Text(v, "errorMessage"), code, extra).Retried = true
}

// turnEnded handles the end of a turn: a failure, a stop whose own line is missing, or a
// loop that the program ended.
func (w *wire) turnEnded(v *fastjson.Value) {
	reason := readers.Text(v, "reason")
	if reason == "cancelled" && !w.turn.cancelled {
		w.inferStop()
	}
	w.closeStep()
	w.emitStop()
	switch {
	case reason == "failed":
		w.emitTurnFailure(v.Get("error"))
	case readers.Text(v, "stopReason") == "repeat_breaker":
		w.in.Emit(&tables.Interruption{
			Type: tables.InterruptedBySystem, Phase: w.facts.stopPhase(tables.PhaseResponse), CutNothing: true, Marker: "repeat_breaker",
			Evidence: tables.EvidenceRecorded, Confidence: 1, Timestamp: w.chat.at,
		})
	}
	w.turn.failed = ""
}

// emitTurnFailure emits the error that ended a turn, and the stop by it.
func (w *wire) emitTurnFailure(failure *fastjson.Value) {
	var extra readers.Extra
	code := readers.Text(failure, "code")
	extra.Text("code", code)
	extra.Int("status_code", readers.Int(failure, "details", "statusCode"))
	w.emitFailure(cmp.Or(readers.Text(failure, "message"), w.turn.failed), code, extra)
}

// emitFailedTurn emits the failure of a turn whose last line is missing.
func (w *wire) emitFailedTurn() {
	if failed := w.turn.failed; failed != "" {
		w.turn.failed = ""
		w.emitFailure(failed, "", nil)
	}
}

func (w *wire) emitFailure(text, code string, extra readers.Extra) *tables.Failure {
	w.chat.emitAtLine(&tables.Message{
		UUID: w.chat.newID("error"), Role: tables.RoleSystem, Kind: tables.KindError, Text: text, Extra: readers.Object(extra),
	})
	f := &tables.Failure{Marker: cmp.Or(code, text), Evidence: tables.EvidenceRecorded, Confidence: 1, Timestamp: w.chat.at}
	if s := w.step; s != nil && s.isClosed && s.StopReason == "error" && !s.isEmpty() {
		f.CutUUID = s.UUID
	}
	w.in.Emit(f)
	return f
}

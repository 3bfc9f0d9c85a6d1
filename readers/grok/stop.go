package grok

import (
	"cmp"
	"slices"
	"strings"

	"hindsql/readers"
	"hindsql/tables"
)

// Why a turn was cancelled (FORMAT.md §5).
const (
	midTurnAbort        = "mid_turn_abort"
	permissionCancelled = "permission_cancelled"
)

// turnCompleted handles the end of a turn: its tokens, and what stopped it.
func (l *log) turnCompleted(u *update) {
	t := l.currentTurn(u)
	t.completed = true
	t.markProgramPrompt(readers.Text(u.Value, "prompt_id"))
	l.pairAsks(t, u.at)
	switch reason := readers.Text(u.Value, "stop_reason"); {
	case reason == "cancelled":
		l.turnCancelled(t, u)
	case !t.failed && (reason == "error" || reason == "rate_limit" || readers.Text(u.Value, "agent_result") != ""):
		l.emitFailure(t, u, cmp.Or(readers.Text(u.Value, "agent_result"), reason))
	}
	l.emitUsage(t, u)
	l.endTurn(u.at)
}

// turnCancelled handles a turn that was cancelled.
func (l *log) turnCancelled(t *turn, u *update) {
	end := l.events.nextEnd(t.began, u.at)
	end.outcome = "cancelled"
	end.category = cmp.Or(snakeCase(readers.Text(u.meta, "cancellationCategory")), end.category)
	end.trigger = cmp.Or(readers.Text(u.meta, "cancelTrigger"), end.trigger)
	l.emitStop(t, u, end)
}

// endByEvent handles a turn whose end only an event shows.
func (l *log) endByEvent(t *turn, end turnEnd) {
	switch u := (&update{at: end.at, line: l.line}); {
	case end.outcome == "cancelled":
		l.emitStop(t, u, end)
	case end.outcome == "error" && !t.failed:
		l.emitFailure(t, u, end.outcome)
	}
}

// emitStop emits what stopped a cancelled turn. A refusal cancels its turn, too, and is
// no stop; nor is a question that nobody was there to answer.
func (l *log) emitStop(t *turn, u *update, end turnEnd) {
	switch category := end.category; {
	case category == midTurnAbort && t.cancelledAsk() == nil:
		l.emitUserStop(t, u, strings.TrimSuffix(category+": "+end.trigger, ": "))
	case category == midTurnAbort, category == permissionCancelled:
		l.emitStopAtQuestion(t, u, category)
	case category == "" && !end.at.IsZero(), strings.HasPrefix(category, "max_turns"):
		l.emitLimit(u, cmp.Or(category, "cancelled"))
	}
}

// snakeCase returns MidTurnAbort as mid_turn_abort.
func snakeCase(word string) string {
	var b strings.Builder
	for i, c := range word {
		if c >= 'A' && c <= 'Z' {
			if i > 0 {
				b.WriteByte('_')
			}
			c += 'a' - 'A'
		}
		b.WriteRune(c)
	}
	return b.String()
}

// emitUserStop emits a stop by the user. Calls without an end were cut; one of them may
// have been waiting for an answer.
func (l *log) emitUserStop(t *turn, u *update, marker string) {
	i := newInterruption(u, marker)
	l.emitMessage(l.markSidechain(u.message(tables.RoleSystem, tables.KindInterruption, marker)))
	for _, c := range t.calls {
		if c.ended || c.ask != nil && c.ask.answer != "" && c.ask.answer != allowed {
			continue
		}
		c.ended = true
		r := &tables.ToolResult{ToolUseID: c.ToolUseID, Status: tables.StatusInterrupted, Timestamp: u.at, SubagentSessionID: c.child, Output: readPrinted(l.in, c)}
		phase := tables.PhaseTool
		if c.ask != nil && c.ask.answer == "" || c.ToolName == questionTool || c.ToolName == planTool {
			phase, r.DurationUnknown = tables.PhaseApproval, true
		} else if c.ask != nil {
			r.DurationMS = readers.MillisBetween(c.ask.answered, u.at)
		}
		l.in.Emit(r)
		if i.ToolUseID == "" {
			i.ToolUseID, i.Phase, i.PartialOutput = c.ToolUseID, phase, r.Output
		}
	}
	l.in.Emit(l.setPhase(i))
}

// emitStopAtQuestion emits the stop by Ctrl-C at a question: the same keypress refused
// the call.
func (l *log) emitStopAtQuestion(t *turn, u *update, marker string) {
	a := t.cancelledAsk()
	if a == nil {
		return
	}
	i := newInterruption(u, marker)
	i.Phase, i.PairedRejection = tables.PhaseApproval, true
	for _, c := range t.calls {
		if c.ask == a {
			i.ToolUseID = c.ToolUseID
		}
	}
	l.emitMessage(l.markSidechain(u.message(tables.RoleSystem, tables.KindInterruption, i.Marker)))
	l.in.Emit(l.setPhase(i))
}

// cancelledAsk returns the turn's last ask that a person cancelled; nil if none.
func (t *turn) cancelledAsk() *ask {
	for _, a := range slices.Backward(t.asks) {
		if a.answer == cancelled && a.byPerson() {
			return a
		}
	}
	return nil
}

// emitLimit emits the end of a turn by a limit of turns: the only cancelled turn without
// a category among the events (FORMAT.md §5).
func (l *log) emitLimit(u *update, marker string) {
	i := newInterruption(u, marker)
	i.Type, i.Evidence, i.Confidence, i.CutNothing = tables.InterruptedBySystem, tables.EvidenceInferred, byWords, true
	l.emitMessage(l.markSidechain(u.message(tables.RoleSystem, tables.KindInterruption, i.Marker)))
	l.in.Emit(l.setPhase(i))
}

// setPhase sets the phase of a stop in a subagent's session.
func (s *summary) setPhase(i *tables.Interruption) *tables.Interruption {
	if s.session.Kind == tables.SessionSubagent {
		i.Phase = tables.PhaseSubagent
	}
	return i
}

func newInterruption(u *update, marker string) *tables.Interruption {
	return &tables.Interruption{
		Type: tables.InterruptedByUser, Phase: tables.PhaseResponse, Marker: marker,
		Evidence: tables.EvidenceRecorded, Confidence: 1, Timestamp: u.at,
	}
}

// requestFailed handles a failed request to the model. Before, retries leave lines of
// their own, which show nothing of the end.
func (l *log) requestFailed(u *update) {
	switch readers.Text(u.Value, "type") {
	case "failed", "exhausted":
		l.emitFailure(l.currentTurn(u), u, cmp.Or(readers.FirstText(u.Value, "message", "reason"), "error"))
	}
}

// emitFailure emits a failed request, and its message.
func (l *log) emitFailure(t *turn, u *update, text string) {
	t.failed = true
	cut := t.response
	l.emitMessage(l.markSidechain(u.message(tables.RoleSystem, tables.KindError, text)))
	t.response = nil
	f := &tables.Failure{Marker: text, Evidence: tables.EvidenceRecorded, Confidence: 1, Timestamp: u.at}
	if cut != nil && !t.madeCalls(cut) {
		f.CutMessageID = cut.MessageID
	}
	l.in.Emit(f)
}

// madeCalls reports whether an answer made calls: then it was complete.
func (t *turn) madeCalls(m *tables.Message) bool {
	n := len(t.calls)
	return n > 0 && t.calls[n-1].response == m
}

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
	t := l.current(u)
	t.completed = true
	t.called(readers.Text(u.Value, "prompt_id"))
	l.pair(t, u.at)
	switch reason := readers.Text(u.Value, "stop_reason"); {
	case reason == "cancelled":
		l.cancelled(t, u)
	case !t.failed && (reason == "error" || reason == "rate_limit" || readers.Text(u.Value, "agent_result") != ""):
		l.fail(t, u, cmp.Or(readers.Text(u.Value, "agent_result"), reason))
	}
	l.usage(t, u)
	l.settle(u.at)
}

// cancelled handles a turn that was cancelled.
func (l *log) cancelled(t *turn, u *update) {
	end := l.events.endOf(t.began, u.at)
	end.outcome = "cancelled"
	end.category = cmp.Or(snake(readers.Text(u.meta, "cancellationCategory")), end.category)
	end.trigger = cmp.Or(readers.Text(u.meta, "cancelTrigger"), end.trigger)
	l.stopped(t, u, end)
}

// endedBy handles a turn of whose end only an event tells.
func (l *log) endedBy(t *turn, end turnEnd) {
	switch u := (&update{at: end.at, line: l.line}); {
	case end.outcome == "cancelled":
		l.stopped(t, u, end)
	case end.outcome == "error" && !t.failed:
		l.fail(t, u, end.outcome)
	}
}

// stopped emits what stopped a cancelled turn. A refusal cancels its turn, too, and is no
// stop; nor is a question that nobody was there to answer.
func (l *log) stopped(t *turn, u *update, end turnEnd) {
	switch category := end.category; {
	case category == midTurnAbort && t.cancelledAsk() == nil:
		l.stop(t, u, strings.TrimSuffix(category+": "+end.trigger, ": "))
	case category == midTurnAbort, category == permissionCancelled:
		l.stopAtPrompt(t, u, category)
	case category == "" && !end.at.IsZero(), strings.HasPrefix(category, "max_turns"):
		l.limit(u, cmp.Or(category, "cancelled"))
	}
}

// snake returns MidTurnAbort as mid_turn_abort.
func snake(word string) string {
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

// stop emits a stop by the user. Calls without an end were cut; one of them may have
// been waiting for an answer.
func (l *log) stop(t *turn, u *update, marker string) {
	i := interruption(u, marker)
	l.say(l.side(u.message(tables.RoleSystem, tables.KindInterruption, marker)))
	for _, c := range t.calls {
		if c.ended || c.ask != nil && c.ask.answer != "" && c.ask.answer != allowed {
			continue
		}
		c.ended = true
		r := &tables.ToolResult{ToolUseID: c.ToolUseID, Status: tables.StatusInterrupted, Timestamp: u.at, SubagentSessionID: c.child, Output: printed(l.in, c)}
		phase := tables.PhaseTool
		if c.ask != nil && c.ask.answer == "" || c.ToolName == questionTool || c.ToolName == planTool {
			phase, r.DurationUnknown = tables.PhaseApproval, true
		} else if c.ask != nil {
			r.DurationMS = since(c.ask.answered, u.at)
		}
		l.in.Emit(r)
		if i.ToolUseID == "" {
			i.ToolUseID, i.Phase, i.PartialOutput = c.ToolUseID, phase, r.Output
		}
	}
	l.in.Emit(l.inPhase(i))
}

// stopAtPrompt emits the stop by Ctrl-C at a question: the same keypress refused the
// call.
func (l *log) stopAtPrompt(t *turn, u *update, marker string) {
	a := t.cancelledAsk()
	if a == nil {
		return
	}
	i := interruption(u, marker)
	i.Phase, i.PairedRejection = tables.PhaseApproval, true
	for _, c := range t.calls {
		if c.ask == a {
			i.ToolUseID = c.ToolUseID
		}
	}
	l.say(l.side(u.message(tables.RoleSystem, tables.KindInterruption, i.Marker)))
	l.in.Emit(l.inPhase(i))
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

// limit emits the end of a turn by a limit of turns: the only cancelled turn without a
// category among the events (FORMAT.md §5).
func (l *log) limit(u *update, marker string) {
	i := interruption(u, marker)
	i.Type, i.Evidence, i.Confidence, i.CutNothing = tables.InterruptedBySystem, tables.EvidenceInferred, byWords, true
	l.say(l.side(u.message(tables.RoleSystem, tables.KindInterruption, i.Marker)))
	l.in.Emit(l.inPhase(i))
}

// inPhase sets the phase of a stop in a subagent's session.
func (s *summary) inPhase(i *tables.Interruption) *tables.Interruption {
	if s.session.Kind == tables.SessionSubagent {
		i.Phase = tables.PhaseSubagent
	}
	return i
}

func interruption(u *update, marker string) *tables.Interruption {
	return &tables.Interruption{
		Type: tables.InterruptedByUser, Phase: tables.PhaseResponse, Marker: marker,
		Evidence: tables.EvidenceRecorded, Confidence: 1, Timestamp: u.at,
	}
}

// requestFailed handles a failed request to the model. Before, retries leave lines of
// their own, which tell nothing of the end.
func (l *log) requestFailed(u *update) {
	switch readers.Text(u.Value, "type") {
	case "failed", "exhausted":
		l.fail(l.current(u), u, cmp.Or(readers.FirstText(u.Value, "message", "reason"), "error"))
	}
}

// fail emits a failed request, and its message.
func (l *log) fail(t *turn, u *update, said string) {
	t.failed = true
	cut := t.response
	l.say(l.side(u.message(tables.RoleSystem, tables.KindError, said)))
	t.response = nil
	f := &tables.Failure{Marker: said, Evidence: tables.EvidenceRecorded, Confidence: 1, Timestamp: u.at}
	if cut != nil && !t.made(cut) {
		f.CutMessageID = cut.MessageID
	}
	l.in.Emit(f)
}

// made reports whether an answer made calls: then it was complete.
func (t *turn) made(m *tables.Message) bool {
	n := len(t.calls)
	return n > 0 && t.calls[n-1].response == m
}

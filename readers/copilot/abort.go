package copilot

import (
	"time"

	"hindsql/readers"
	"hindsql/tables"
)

// sameKeypress is the longest time between a refusal and the abort by the same
// keypress.
const sameKeypress = 2 * time.Second

// atOnce is the longest time between a refusal and the end of the other questions that
// it closed.
const atOnce = 300 * time.Millisecond

// machineStops lists the reasons of aborts without a person.
var machineStops = readers.SetOf(`autopilot_credit_limit`)

// aborted handles a stop (FORMAT.md §5).
func (l *log) aborted(e *event) {
	t := l.thread(e)
	t.turns = false
	reason := readers.Text(e.Value, "reason")
	i := &tables.Interruption{
		Type: tables.InterruptedByUser, Phase: tables.PhaseResponse, Marker: "abort: " + reason,
		Evidence: tables.EvidenceRecorded, Confidence: 1, Timestamp: e.at,
	}
	if machineStops[reason] {
		i.Type = tables.InterruptedBySystem
	}
	t.cutLast(i)
	l.say(t, e.message(tables.RoleSystem, tables.KindInterruption, i.Marker))
	cut := l.refusedWith(e, i)
	open := l.openBelow(t)
	for _, c := range open {
		l.interrupt(c, e)
	}
	if cut == nil && len(open) > 0 {
		cut = open[0]
		i.Phase = tables.PhaseTool
		if cut.ToolKind == tables.ToolPlan || cut.ToolKind == tables.ToolQuestion {
			i.Phase = tables.PhaseApproval
		}
	}
	if cut = cut.in(t); cut != nil {
		i.ToolUseID, i.CutUUID, i.CutNothing = cut.ToolUseID, cut.uuid, false
	}
	if t != l.main {
		i.Phase = tables.PhaseSubagent
	}
	l.emit(t, i)
}

// refusedWith emits the refusals that an abort's keypress made, and returns the call on
// the screen; nil if none. Of several open questions, the screen showed the one asked
// first.
func (l *log) refusedWith(e *event, i *tables.Interruption) *call {
	open := l.openQuestions(e)
	first := l.refusedJustNow(e, open)
	if first != nil {
		i.Phase, i.PairedRejection = tables.PhaseApproval, true
		if x := first.withdrawn(); x != nil {
			l.end(first, x)
			l.refuse(first, x)
		}
	}
	for _, r := range open {
		switch {
		case i.Type == tables.InterruptedBySystem || first != nil && first != r.call:
			l.interrupt(r.call, e)
		case !r.call.stopped:
			l.refuseAt(r, e)
			i.PairedRejection = true
		}
		if first == nil {
			first, i.Phase = r.call, tables.PhaseApproval
		}
	}
	l.refused = nil
	return first
}

// openQuestions returns the questions without an answer in the order of asking. A
// question cancelled by the stop itself counts as open.
func (l *log) openQuestions(e *event) []*request {
	var open []*request
	for _, r := range l.asking {
		if !r.done && r.call != nil && r.call.result == nil && (r.cut.IsZero() || e.at.Sub(r.cut) <= sameKeypress) {
			open = append(open, r)
		}
	}
	l.asking = l.asking[:0]
	return open
}

// refusedJustNow returns the call whose refusal without words also ended the turn: a
// plan, or a call whose refusal closed the open questions at once. It returns nil if
// none.
func (l *log) refusedJustNow(e *event, open []*request) *call {
	if l.refused == nil || e.at.Sub(l.refusedAt) > sameKeypress {
		return nil
	}
	for _, r := range open {
		if r.call != l.refused && (r.cut.IsZero() || r.cut.Sub(l.refusedAt) > atOnce) {
			return nil
		}
	}
	return l.refused
}

// refuseAt emits that the user closed a question.
func (l *log) refuseAt(r *request, e *event) {
	x := r.call.withdrawn()
	if x == nil { // only the turn's end is recorded
		r.call.waited = since(r.at, e.at)
		x = &tables.Rejection{
			ToolUseID: r.call.ToolUseID, Evidence: tables.EvidenceInferred, Confidence: noSource, Timestamp: e.at,
		}
	} else {
		x.Confidence = 1
	}
	x.DecidedBy = tables.ByUser
	l.end(r.call, x)
	l.refuse(r.call, x)
	l.refused = nil
}

// openBelow returns the open calls of a thread and of the subagents that it waits for.
func (l *log) openBelow(t *thread) []*call {
	var open []*call
	calls := t.open
	t.open = nil // before the subagents: a damaged log may make a cycle
	for _, c := range calls {
		if c.result != nil || c.stopped {
			continue
		}
		if c.refusal == nil {
			open = append(open, c)
		} else {
			l.end(c, c.refusal)
		}
		if child := l.threads[l.agents[c.native]]; child != nil && child.by == c && c.native != "" {
			open = append(open, l.openBelow(child)...)
		}
	}
	return open
}

// in returns the ancestor of a call in thread t: the call itself, or the call of t that
// started its subagent; nil if none.
func (c *call) in(t *thread) *call {
	for depth := 0; c != nil && c.thread != t && depth < 100; depth++ {
		c = c.thread.by
	}
	if c != nil && c.thread != t {
		return nil
	}
	return c
}

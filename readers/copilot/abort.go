package copilot

import (
	"time"

	"hindsql/readers"
	"hindsql/tables"
)

// sameKeypress is the longest time between a refusal and an abort that the same
// keypress caused.
const sameKeypress = 2 * time.Second

// atOnce is the longest time after a refusal within which Copilot CLI closes the other
// open questions because of this refusal.
const atOnce = 300 * time.Millisecond

// machineStops lists the reasons of aborts that no person caused.
var machineStops = readers.SetOf(`autopilot_credit_limit`)

// aborted handles an abort event: the user or the program stopped the turn (FORMAT.md
// §5).
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

// refusedWith emits the refusals that the abort's keypress caused. It returns the call
// whose question the screen showed; nil if no question was open. If several were open,
// the screen showed the one asked first.
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
// question that the abort itself cancelled counts as open.
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

// refusedJustNow returns the call that the user refused without a reason right before
// the abort, so that the refusal also ended the turn: a plan, or a call whose refusal
// closed the other open questions at once. It returns nil if there is none.
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

// refuseAt emits a refusal: the user closed the question of request r.
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

// openBelow returns the open calls of a conversation, and those of the subagents that
// these calls started.
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

// in returns c itself if it belongs to thread t. If c is a call of a subagent, in
// returns the call of t that started the subagent, directly or through other subagents.
// It returns nil if there is none.
func (c *call) in(t *thread) *call {
	for depth := 0; c != nil && c.thread != t && depth < 100; depth++ {
		c = c.thread.by
	}
	if c != nil && c.thread != t {
		return nil
	}
	return c
}

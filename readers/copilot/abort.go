package copilot

import (
	"time"

	"hindsql/readers"
	"hindsql/tables"
)

// sameKeypress is the most time between a refusal and the abort that it was.
const sameKeypress = 2 * time.Second

// machineStops are the reasons of an abort that no person asked for.
var machineStops = readers.SetOf(`autopilot_credit_limit`)

// aborted takes a stop (FORMAT.md §5).
func (l *log) aborted(e *event) {
	t := l.thread(e)
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

// refusedWith tells the refusal that an abort is the keypress of, and gives the
// call; nil for none. Of several open questions the one asked first was shown.
func (l *log) refusedWith(e *event, i *tables.Interruption) *call {
	var first *call
	if c := l.refused; c != nil && e.at.Sub(l.refusedAt) <= sameKeypress {
		first = c
		i.Phase, i.PairedRejection = tables.PhaseApproval, true
		if x := c.withdrawn(); x != nil && c.result == nil {
			l.end(c, x)
			l.refuse(c, x)
		}
	}
	l.refused = nil
	for _, r := range l.asking {
		if r.done || r.call == nil || r.call.result != nil || !r.cut.IsZero() && e.at.Sub(r.cut) > sameKeypress {
			continue
		}
		if first != nil && first != r.call || i.Type == tables.InterruptedBySystem {
			l.interrupt(r.call, e)
		} else {
			l.refuseAt(r, e)
			i.PairedRejection = true
		}
		if first == nil {
			first = r.call
			i.Phase = tables.PhaseApproval
		}
	}
	l.asking = l.asking[:0]
	return first
}

// refuseAt tells that a question was closed.
func (l *log) refuseAt(r *request, e *event) {
	x := r.call.withdrawn()
	if x == nil { // its end is not recorded, only that of the turn
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

// openBelow takes the calls without an end of a thread, and of the subagents
// that it waits for.
func (l *log) openBelow(t *thread) []*call {
	var open []*call
	for _, c := range t.open {
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
	t.open = t.open[:0]
	return open
}

// in is the call of a thread in which a call was made: itself, or the one that
// started its subagent; nil for none.
func (c *call) in(t *thread) *call {
	for depth := 0; c != nil && c.thread != t && depth < 100; depth++ {
		c = c.thread.by
	}
	if c != nil && c.thread != t {
		return nil
	}
	return c
}

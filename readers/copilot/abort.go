package copilot

import (
	"time"

	"hindsql/readers"
	"hindsql/tables"
)

// sameKeypress is the longest time between a refusal and an abort that the same
// keypress caused.
const sameKeypress = 2 * time.Second

// sameRefusal is the longest time after a refusal within which Copilot CLI closes the
// other open questions because of this refusal.
const sameRefusal = 300 * time.Millisecond

// machineStops lists the reasons of aborts that no person caused.
var machineStops = readers.SetOf(`autopilot_credit_limit`)

// aborted handles an abort event: the user or the program stopped the turn (FORMAT.md
// §5).
func (l *log) aborted(e *event) {
	t := l.thread(e)
	t.inTurn = false
	reason := readers.Text(e.Value, "reason")
	i := &tables.Interruption{
		Type: tables.InterruptedByUser, Phase: tables.PhaseResponse, Marker: "abort: " + reason,
		Evidence: tables.EvidenceRecorded, Confidence: 1, Timestamp: e.at,
	}
	if machineStops[reason] {
		i.Type = tables.InterruptedBySystem
	}
	t.setCutMessage(i)
	l.emitMessage(t, e.message(tables.RoleSystem, tables.KindInterruption, i.Marker))
	cut := l.emitAbortRefusals(e, i)
	open := l.openCalls(t)
	for _, c := range open {
		l.emitInterrupted(c, e)
	}
	if cut == nil && len(open) > 0 {
		cut = open[0]
		i.Phase = tables.PhaseTool
		if cut.ToolKind == tables.ToolPlan || cut.ToolKind == tables.ToolQuestion {
			i.Phase = tables.PhaseApproval
		}
	}
	if cut = cut.inThread(t); cut != nil {
		i.ToolUseID, i.CutUUID, i.CutNothing = cut.ToolUseID, cut.uuid, false
	}
	if t != l.main {
		i.Phase = tables.PhaseSubagent
	}
	l.emit(t, i)
}

// emitAbortRefusals emits the refusals that the abort's keypress caused. It returns the
// call whose question the screen showed; nil if no question was open. If several were
// open, the screen showed the one asked first.
func (l *log) emitAbortRefusals(e *event, i *tables.Interruption) *call {
	open := l.openQuestions(e)
	first := l.lastRefusal(e, open)
	if first != nil {
		i.Phase, i.PairedRejection = tables.PhaseApproval, true
		if x := first.withdrawRefusal(); x != nil {
			l.emitRefusedResult(first, x)
			l.emitRefusal(first, x)
		}
	}
	for _, r := range open {
		switch {
		case i.Type == tables.InterruptedBySystem || first != nil && first != r.call:
			l.emitInterrupted(r.call, e)
		case !r.call.stopped:
			l.closeQuestion(r, e)
			i.PairedRejection = true
		}
		if first == nil {
			first, i.Phase = r.call, tables.PhaseApproval
		}
	}
	l.lastRefused = nil
	return first
}

// openQuestions returns the questions without an answer in the order of asking. A
// question that the abort itself cancelled counts as open.
func (l *log) openQuestions(e *event) []*request {
	var open []*request
	for _, r := range l.asking {
		if !r.isDone && r.call != nil && r.call.result == nil && (r.cancelledAt.IsZero() || e.at.Sub(r.cancelledAt) <= sameKeypress) {
			open = append(open, r)
		}
	}
	l.asking = l.asking[:0]
	return open
}

// lastRefusal returns the call that the user refused without a reason right before
// the abort, so that the refusal also ended the turn: a plan, or a call whose refusal
// closed the other open questions at once. It returns nil if there is none.
func (l *log) lastRefusal(e *event, open []*request) *call {
	if l.lastRefused == nil || e.at.Sub(l.refusedAt) > sameKeypress {
		return nil
	}
	for _, r := range open {
		if r.call != l.lastRefused && (r.cancelledAt.IsZero() || r.cancelledAt.Sub(l.refusedAt) > sameRefusal) {
			return nil
		}
	}
	return l.lastRefused
}

// closeQuestion emits a refusal: the user closed the question of request r.
func (l *log) closeQuestion(r *request, e *event) {
	x := r.call.withdrawRefusal()
	if x == nil { // only the turn's end is recorded
		r.call.waited = readers.MillisBetween(r.at, e.at)
		x = &tables.Rejection{
			ToolUseID: r.call.ToolUseID, Evidence: tables.EvidenceInferred, Confidence: noSource, Timestamp: e.at,
		}
	} else {
		x.Confidence = 1
	}
	x.DecidedBy = tables.ByUser
	l.emitRefusedResult(r.call, x)
	l.emitRefusal(r.call, x)
	l.lastRefused = nil
}

// openCalls returns the open calls of a conversation, and those of the subagents that
// these calls started.
func (l *log) openCalls(t *thread) []*call {
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
			l.emitRefusedResult(c, c.refusal)
		}
		if child := l.threads[l.agents[c.native]]; child != nil && child.parentCall == c && c.native != "" {
			open = append(open, l.openCalls(child)...)
		}
	}
	return open
}

// inThread returns c itself if it belongs to thread t. If c is a call of a subagent, inThread
// returns the call of t that started the subagent, directly or through other subagents.
// It returns nil if there is none.
func (c *call) inThread(t *thread) *call {
	for depth := 0; c != nil && c.thread != t && depth < 100; depth++ {
		c = c.thread.parentCall
	}
	if c != nil && c.thread != t {
		return nil
	}
	return c
}

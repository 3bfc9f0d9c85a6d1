package pilines

import (
	"cmp"
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// emitStop handles a response that the user cut: each keypress leaves one aborted line
// (readers/pi/FORMAT.md §5). A stop without content cut the calls of the response before, if a
// result of these calls says so.
func (l *log) emitStop(e *entry, before *turn, c content, marker string) {
	if strings.HasSuffix(marker, silentAbort) {
		return // oh-my-pi's own stop, between two of its steps
	}
	i := &tables.Interruption{
		Type: tables.InterruptedByUser, Phase: tables.PhaseResponse,
		CutUUID: e.uuid, PartialOutput: c.text(), Marker: marker,
		Evidence: tables.EvidenceRecorded, Confidence: 1, Timestamp: e.at,
	}
	empty := c.isEmpty()
	i.CutNothing = empty
	if cut := before.stopCalls(); empty && len(cut) > 0 {
		i.Phase, i.CutNothing, i.CutUUID = tables.PhaseTool, false, before.at.uuid
		l.endOpenCalls(before, e)
		if len(cut) == 1 {
			i.ToolUseID = cut[0].ToolUseID
			i.PartialOutput = cut[0].result.printed
			if cut[0].result.closed { // one Esc closed the question and stopped the turn
				i.Phase, i.PairedRejection = tables.PhaseApproval, true
			}
		}
	}
	if l.agent {
		i.Phase = tables.PhaseSubagent
	}
	if l.claw != nil { // the next prompt says whether it was a person's stop
		i.Type, i.Confidence, i.Void = tables.InterruptedBySystem, recordedSentence, l.claw.cut != nil
		l.claw.cut = cmp.Or(l.claw.cut, i)
	}
	l.endOpenCalls(e.turn, e)
	l.in.Emit(i)
}

// silentAbort ends the marker of a stop that isn't the user's.
const silentAbort = ".silent_abort__"

// emitFailure handles a failed request. Before 1.x, pi marks no retry: after a retry, an
// answer follows. See contextEdit.
func (l *log) emitFailure(e *entry, c content, marker string) {
	l.endOpenCalls(e.turn, e)
	f := &tables.Failure{
		PartialOutput: c.text(), Marker: marker,
		Evidence: tables.EvidenceRecorded, Confidence: 1, Timestamp: e.at,
	}
	if !c.isEmpty() {
		f.CutUUID = e.uuid
	}
	e.turn.failure = f
	l.in.Emit(f)
}

// contextEdit handles a change of what the model gets. pi itself leaves out an answer
// that failed or didn't fit, and then the results of the answer's calls, right before it
// asks again (readers/pi/FORMAT.md §5). Extensions leave out and replace other lines.
func (l *log) contextEdit(e *entry, v *fastjson.Value) {
	target, replacement, t := l.byID[readers.Text(v, "targetId")], v.Get("replacement"), e.turn
	if t == nil || target == nil || replacement == nil || replacement.Type() != fastjson.TypeNull {
		return
	}
	switch {
	case t.mayRetry && t.at == target && (e.lastMessage == target || e.lastMessage.isResult):
		if e.retried = true; t.failure != nil {
			t.failure.Retried = true
		}
	case e.parent != nil && e.parent.retried && target.isResult && target.turn == t:
		e.retried = true
	}
}

// endOpenCalls ends the calls without a result: of a response that was cut while the
// model wrote it, and of a stopped batch, if pi had not come to them. pi never runs
// them.
func (l *log) endOpenCalls(t *turn, e *entry) {
	for _, c := range t.calls {
		if c.result == nil {
			l.in.Emit(&tables.ToolResult{ToolUseID: c.ToolUseID, Status: tables.StatusInterrupted, DurationUnknown: true, Timestamp: e.at})
		}
	}
}

// stopCalls returns the calls that a stop cut, according to the calls' results. A second
// stop after the same response cut no calls.
func (t *turn) stopCalls() (list []*call) {
	if t == nil || t.stopped {
		return nil
	}
	t.stopped = true
	for _, c := range t.calls {
		switch r := c.result; {
		case r == nil:
		case r.closed:
			list = append(list, c)
		case r.mayBeCut && r.Status != tables.StatusRejected && r.Status != tables.StatusDenied:
			r.Status, r.ErrorType = tables.StatusInterrupted, ""
			list = append(list, c)
		}
	}
	return list
}

package pilines

import (
	"slices"
	"strings"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// Run is a run of OpenClaw that ended before its answer was complete. OpenClaw's record
// of runs tells it, if the conversation doesn't.
type Run struct {
	ID       string
	EndedAt  time.Time
	ByUser   bool                 // a person stopped the run
	CallsEnd map[string]time.Time // by the model's own id: when the run's calls ended
}

// claw holds what OpenClaw's lines need besides pi's (readers/openclaw/FORMAT.md §3).
type claw struct {
	log        *log
	runs       []Run            // in the order of their ends; the first ones may have been told
	stopped    readers.Set      // runs whose stop a line told
	turns      map[string]*turn // the last response of each run
	settled    map[*turn]bool   // responses whose calls all have a result
	command    *entry           // the last typed command
	reset      *tables.Clear    // the last reset
	compaction *tables.Compaction
}

// newClaw returns the state of OpenClaw's lines, and makes l tell it the compactions.
func newClaw(l *log) *claw {
	c := &claw{log: l, runs: slices.Clone(l.Runs), stopped: readers.Set{}, turns: map[string]*turn{}, settled: map[*turn]bool{}}
	slices.SortStableFunc(c.runs, func(a, b Run) int { return a.EndedAt.Compare(b.EndedAt) })
	in, emit := *l.in, l.in.Emit
	in.Emit = func(e tables.Event) {
		if made, ok := e.(*tables.Compaction); ok {
			c.compaction = made
		}
		emit(e)
	}
	l.in = &in
	return c
}

// The kinds of lines and the roles that OpenClaw writes in its own way.
var (
	clawKinds = map[string]func(*log, *entry, *fastjson.Value){
		"reset": func(l *log, e *entry, v *fastjson.Value) { l.claw.clear(e, v) },
		"leaf":  func(l *log, e *entry, v *fastjson.Value) { l.claw.leaf(e, v) },
	}
	clawRoles = map[string]func(*log, *entry, *fastjson.Value){
		"user":       func(l *log, e *entry, v *fastjson.Value) { l.claw.user(e, v) },
		"assistant":  func(l *log, e *entry, v *fastjson.Value) { l.claw.assistant(e, v) },
		"toolResult": func(l *log, e *entry, v *fastjson.Value) { l.claw.toolResult(e, v) },
	}
)

// before tells the runs that ended before a line was written.
func (c *claw) before(v *fastjson.Value) {
	if abort := v.Get("message", "openclawAbort"); abort != nil {
		c.stopped[readers.Text(abort, "runId")] = true
	}
	if at := readers.Time(v.Get("timestamp")); !at.IsZero() && len(c.runs) > 0 {
		c.tell(at)
	}
}

// tell emits the stops of runs that ended before a time; of all runs if it is zero.
func (c *claw) tell(until time.Time) {
	for len(c.runs) > 0 && c.log.opened && (until.IsZero() || c.runs[0].EndedAt.Before(until)) {
		if run := c.runs[0]; !c.stopped[run.ID] {
			c.stopped[run.ID] = true
			c.ended(run)
		}
		c.runs = c.runs[1:]
	}
}

// ended emits the stop of a run that no line tells: a tool ran, or the model had not
// written a word.
func (c *claw) ended(run Run) {
	i := &tables.Interruption{
		Type: tables.InterruptedBySystem, Phase: tables.PhaseResponse, CutNothing: true, Marker: "interrupted",
		Evidence: tables.EvidenceRecorded, Confidence: 1, Timestamp: run.EndedAt,
	}
	if run.ByUser {
		i.Type = tables.InterruptedByUser
	}
	ends := map[*call]time.Time{}
	for id, at := range run.CallsEnd {
		ends[c.log.calls[id]] = at
	}
	c.cut(i, tables.PhaseTool, c.turns[run.ID], func(call *call) time.Time {
		if at := ends[call]; !at.IsZero() {
			return at
		}
		return run.EndedAt
	})
}

// cut emits a stop, and ends the calls of a response that have no result: then the stop
// came in the phase that is given.
func (c *claw) cut(i *tables.Interruption, phase string, t *turn, at func(*call) time.Time) {
	open := c.open(t)
	for _, call := range open {
		call.result = &result{ToolResult: tables.ToolResult{ToolUseID: call.ToolUseID, Status: tables.StatusInterrupted, Timestamp: at(call)}}
		call.result.DurationUnknown = call.result.Timestamp.IsZero()
		c.log.in.Emit(&call.result.ToolResult)
	}
	if len(open) > 0 {
		i.Phase, i.CutNothing, i.CutUUID = phase, false, t.at.uuid
	}
	if len(open) == 1 {
		i.ToolUseID = open[0].ToolUseID
	}
	if c.log.agent {
		i.Phase = tables.PhaseSubagent
	}
	c.log.in.Emit(i)
}

// open returns a response's calls without a result. If all calls have results, later
// searches skip the response.
func (c *claw) open(t *turn) []*call {
	if t == nil || c.settled[t] {
		return nil
	}
	list := slices.DeleteFunc(slices.Clone(t.calls), func(call *call) bool { return call.result != nil })
	c.settled[t] = len(list) == 0
	return list
}

// assistant handles a response, and a line in a response's form that the gateway wrote.
func (c *claw) assistant(e *entry, v *fastjson.Value) {
	l := c.log
	if readers.Text(v, "provider") != "openclaw" || readers.Text(v, "model") != "gateway-injected" {
		l.assistant(e, v)
		if run := readers.Text(v, "__openclaw", "runId"); run != "" {
			c.turns[run] = e.turn
		}
		return
	}
	body := l.content(v.Get("content"), "assistant")
	if abort := v.Get("openclawAbort"); abort.GetBool("aborted") {
		c.abort(e, abort, body)
		return
	}
	m := &tables.Message{Role: tables.RoleSystem, Kind: tables.KindNotice, Text: body.text()}
	if e.spoken != nil && e.spoken == c.command {
		m.Role, m.Kind = tables.RoleUser, tables.KindCommandOutput
	}
	l.say(e, m, body)
}

// abort handles the line of a stop. Its text is what the model had written, or, if a
// call waited for approval, the complete text before the call.
func (c *claw) abort(e *entry, abort *fastjson.Value, body content) {
	before := c.turns[readers.Text(abort, "runId")]
	i := &tables.Interruption{
		Type: tables.InterruptedByUser, Phase: tables.PhaseResponse, CutUUID: e.uuid, PartialOutput: body.text(),
		Marker: readers.Text(abort, "origin"), Evidence: tables.EvidenceRecorded, Confidence: 1, Timestamp: e.at,
	}
	m := &tables.Message{Role: tables.RoleAssistant, Kind: tables.KindResponse, Text: body.text(), StopReason: "aborted"}
	waits := len(c.open(before)) > 0
	if waits {
		m = &tables.Message{Role: tables.RoleUser, Kind: tables.KindInterruption, Text: body.text()}
	}
	c.log.say(e, m, body)
	if !waits {
		e.turn = &turn{at: e}
		before = nil
	}
	c.cut(i, tables.PhaseApproval, before, func(*call) time.Time { return e.at })
}

// clear handles a reset: OpenClaw no longer sends earlier lines to the model. A typed
// command stands on the next line.
func (c *claw) clear(e *entry, v *fastjson.Value) {
	e.replaced, e.compacted = true, nil // a later compaction stops here
	c.reset = &tables.Clear{
		UUID: e.uuid, SessionID: c.log.session.SessionID, InSession: true,
		Trigger: tables.ClearByCommand, Project: c.log.session.Project,
		Timestamp: e.at, Evidence: tables.EvidenceSessionStart, Confidence: 1,
	}
	if reason := readers.Text(v, "reason"); reason == "new" || reason == "reset" {
		c.reset.Command = "/" + reason
	}
	c.log.in.Emit(c.reset)
}

// leaf handles a rewind: the conversation goes on from an earlier line.
func (c *claw) leaf(e *entry, v *fastjson.Value) {
	target := c.log.byID[readers.Text(v, "targetId")]
	if target == nil || target == e {
		return
	}
	e.parent, e.spoken, e.turn, e.compacted = target, target.spoken, target.turn, target.compacted
}

// asked completes what a typed command asked for, which stands right before the command.
func (c *claw) asked(e *entry, text string) {
	word, _, _ := strings.Cut(text, " ")
	if made := c.compaction; made != nil && word == "/compact" && e.spoken != nil && e.spoken.uuid == made.UUID {
		made.Trigger, made.TriggerInferred = "manual", true
	}
	if made := c.reset; made != nil && e.parent != nil && e.parent.uuid == made.UUID && (word == "/new" || word == "/reset") {
		made.Command = word
	}
}

package codex

import (
	"strings"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// nestedID begins the id of a call made by a script.
const nestedID = "exec-"

// nested is a call made by a script, as its item describes it after the call ended.
type nested struct {
	*call
	turn    string
	started time.Time
	r       record // without its Value
	output  string
}

// nestedEnded takes the item or event of a call that has no line of its own: a script
// made the call.
func (t *rollout) nestedEnded(r *record, v *fastjson.Value, id string, e *ended) {
	if id == "" || readers.Text(v, "source") == "user_shell" {
		return // a person's own command: a message shows it
	}
	n := &nested{call: &call{ended: e, answered: true, extra: readers.Extra{}}, turn: t.turnOf(r), r: *r, started: clockTime(r.Get("started_at_ms"))}
	n.r.Value = nil
	if at := clockTime(r.Get("completed_at_ms")); !at.IsZero() {
		n.r.at = at
	}
	if n.started.IsZero() {
		n.started = n.r.at.Add(-time.Duration(e.duration.Value) * time.Millisecond)
	}
	if n.ToolCall = nestedCall(v, id); n.ToolCall == nil {
		return
	}
	n.output = e.output
	n.at = &record{at: n.started, line: r.line}
	n.Timestamp, n.Line = n.started, r.line
	s := t.scriptOf(n)
	switch {
	case s == nil && !strings.HasPrefix(id, nestedID):
		return
	case s == nil: // the script's own line is lost
		t.calls[id] = n.call
		t.tellNested(n)
		return
	}
	t.nest(r, s, n)
}

// clockTime reads an item's time; zero if it is outside the years firstYear to
// lastYear. Codex began in firstYear.
func clockTime(v *fastjson.Value) time.Time {
	at := readers.Time(v)
	if at.Year() < firstYear || at.Year() > lastYear {
		return time.Time{}
	}
	return at
}

const (
	firstYear = 2025
	lastYear  = 2099
)

// nest adds the call to a script.
func (t *rollout) nest(r *record, s *script, n *nested) {
	t.belongs(s, n.call)
	e := n.ended
	e.waited = t.waitedIn(r, n.call, e)
	if guess := t.guessed(s, n.Command); guess != nil {
		t.ranAfterAll(guess, n)
		return
	}
	s.tell(n)
	t.calls[n.ToolUseID] = n.call
	if !s.answered {
		s.held = append(s.held, n)
		return
	}
	t.tellNested(n)
}

// tell completes a script's call with facts that only the script's text holds.
func (s *script) tell(n *nested) {
	switch n.ToolKind {
	case tables.ToolAgent:
		if strings.Contains(s.code, "multi_agent_v1__") {
			n.ToolName = strings.Replace(n.ToolName, "collaboration.", "multi_agent_v1.", 1)
		}
	case tables.ToolCommand:
		c := s.take(n.Command)
		if c == nil {
			return
		}
		n.ToolName = c.tool
		if n.escalated = c.asks; c.asks {
			n.extra.Set("escalation", escalate)
		}
	}
}

// guessed returns the script's call that runs the same command and was taken for
// refused when the user stopped the script; nil if there is none. An item has now come
// that shows that the command ran.
func (t *rollout) guessed(s *script, command string) *call {
	for i := 1; i <= s.made && command != ""; i++ {
		info := t.calls[scriptCallID(s, i)]
		if info != nil && info.inferred != nil && info.Command == command {
			return info
		}
	}
	return nil
}

// ranAfterAll takes back the refusal of guess, the call found by guessed. It takes the
// call's end from the item n.
func (t *rollout) ranAfterAll(guess *call, n *nested) {
	t.withdraw(guess)
	id := n.ToolUseID
	n.ToolUseID, guess.ended = guess.ToolUseID, n.ended
	t.calls[id] = guess
	guess.result = t.nestedResult(n)
	t.emit(guess.result)
}

// tellNested emits the call and its end.
func (t *rollout) tellNested(n *nested) {
	t.addChild(n.call)
	n.result = t.nestedResult(n)
	t.emit(n.result)
	o := n.outcome()
	if o.refused != nil {
		t.refuse(&n.r, n.call, *o.refused)
	}
	if o.timeout != "" {
		t.timedOut(&n.r, n.call, o.timeout, "")
	}
}

func (t *rollout) nestedResult(n *nested) *tables.ToolResult {
	o := n.outcome()
	e := &tables.ToolResult{
		ToolUseID: n.ToolUseID, Output: n.output, Status: o.status, ErrorType: o.errorType, ExitCode: n.ended.code,
		DurationMS: n.ended.duration, Timestamp: n.r.at, SubagentSessionID: n.spawned,
	}
	if o.refused != nil {
		e.ExitCode, e.DurationMS, e.DurationUnknown = tables.Maybe[int64]{}, tables.Maybe[int64]{}, true
	}
	if s := t.scriptBy(n.ParentToolUseID); killed(n.ended, s, n.r.at) {
		e.Status, e.ErrorType = tables.StatusInterrupted, ""
	}
	return e
}

func (t *rollout) scriptBy(id string) *script {
	if info := t.calls[id]; info != nil && id != "" {
		return info.script
	}
	return nil
}

// killedCode is the exit code that an item has if the command ended without one.
const killedCode = -1

// killed reports whether a command outlived its script and ended with the program.
func killed(e *ended, s *script, at time.Time) bool {
	return s != nil && !s.to.IsZero() && at.After(s.to) && e.code.OK && e.code.Value == killedCode
}

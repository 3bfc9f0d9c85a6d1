package codex

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/readers/patch"
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

// handleNestedEnd handles the item or event of a call that has no line of its own: a script
// made the call.
func (t *rollout) handleNestedEnd(r *record, v *fastjson.Value, id string, e *callEnd) {
	if id == "" || readers.Text(v, "source") == "user_shell" {
		return // a person's own command: a message shows it
	}
	n := &nested{call: &call{end: e, answered: true, extra: readers.Extra{}}, turn: t.turnOf(r), r: *r, started: clockTime(r.Get("started_at_ms"))}
	n.r.Value = nil
	if at := clockTime(r.Get("completed_at_ms")); !at.IsZero() {
		n.r.at = at
	}
	if n.started.IsZero() {
		n.started = n.r.at.Add(-time.Duration(e.duration.Value) * time.Millisecond)
	}
	if n.ToolCall = newNestedCall(v, id); n.ToolCall == nil {
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
		t.emitNested(n)
		return
	}
	t.addNested(r, s, n)
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

// addNested adds the call to a script.
func (t *rollout) addNested(r *record, s *script, n *nested) {
	t.attachToScript(s, n.call)
	e := n.end
	e.waited = t.waitFromItem(r, n.call, e)
	if t.replaceInferredRefusal(s, n) {
		return
	}
	if s.completeCall(n); s.inferredRejection != nil && len(s.findAsking(false)) == 0 {
		t.voidInferredRefusal(s.call) // all its commands ran
	} else if s.refused {
		s.setAsked()
	}
	t.calls[n.ToolUseID] = n.call
	if !s.answered {
		s.held = append(s.held, n)
		return
	}
	t.emitNested(n)
}

// completeCall completes a script's call with facts that only the script's text holds.
func (s *script) completeCall(n *nested) {
	switch n.ToolKind {
	case tables.ToolAgent:
		if strings.Contains(s.code, "multi_agent_v1__") {
			n.ToolName = strings.Replace(n.ToolName, "collaboration.", "multi_agent_v1.", 1)
		}
	case tables.ToolCommand:
		c := s.claimCommand(n.Command)
		if c == nil {
			return
		}
		n.ToolName = c.tool
		if n.escalated = c.asks; c.asks {
			n.extra.Set("escalation", escalate)
		}
	}
}

// replaceInferredRefusal voids the refusal of the script's call that runs the same command
// as the item n, and takes the call's end from n: the command ran, and was taken for
// refused when the user stopped the script. Without a call to void, the result is false.
func (t *rollout) replaceInferredRefusal(s *script, n *nested) bool {
	i := slices.IndexFunc(s.children, func(c *call) bool { return c.inferredRejection != nil && c.Command == n.Command })
	if i < 0 || n.Command == "" {
		return false
	}
	guess, id := s.children[i], n.ToolUseID
	t.voidInferredRefusal(guess)
	n.ToolUseID, guess.end = guess.ToolUseID, n.end
	t.calls[id] = guess
	guess.result = t.newNestedResult(n)
	t.emit(guess.result)
	return true
}

// emitNested emits the call and its end.
func (t *rollout) emitNested(n *nested) {
	t.emitChild(n.call)
	n.result = t.newNestedResult(n)
	t.emit(n.result)
	o := n.outcome()
	if o.refused != nil {
		t.emitRefusal(&n.r, n.call, *o.refused)
	}
	if o.timeout != "" {
		t.emitTimeout(&n.r, n.call, o.timeout, "")
	}
}

func (t *rollout) newNestedResult(n *nested) *tables.ToolResult {
	o := n.outcome()
	e := &tables.ToolResult{
		ToolUseID: n.ToolUseID, Output: n.output, Status: o.status, ErrorType: o.errorType, ExitCode: n.end.code,
		DurationMS: n.end.duration, Timestamp: n.r.at, SubagentSessionID: n.spawned,
	}
	if o.refused != nil {
		e.ExitCode, e.DurationMS, e.DurationUnknown = tables.Maybe[int64]{}, tables.Maybe[int64]{}, true
	}
	if s := t.scriptByID(n.ParentToolUseID); isKilled(n.end, s, n.r.at) {
		e.Status, e.ErrorType = tables.StatusInterrupted, ""
	}
	return e
}

func (t *rollout) scriptByID(id string) *script {
	if info := t.calls[id]; info != nil && id != "" {
		return info.script
	}
	return nil
}

// killedCode is the exit code that an item has if the command ended without one.
const killedCode = -1

// isKilled reports whether a command outlived its script and ended with the program.
func isKilled(e *callEnd, s *script, at time.Time) bool {
	return s != nil && !s.to.IsZero() && at.After(s.to) && e.code.OK && e.code.Value == killedCode
}

// newCommandCall makes a call for a command that a script ran and that no item describes.
// c is the command in the script's text; nil if the text doesn't name the command.
func (t *rollout) newCommandCall(s *script, c *scriptCommand) *call {
	m := &tables.ToolCall{
		ParentToolUseID: s.ToolUseID, ToolName: "exec_command", ToolKind: tables.ToolCommand, Input: "{}",
		Timestamp: s.at.at, Line: s.at.line,
	}
	info := &call{ToolCall: m, extra: readers.Extra{}, answered: true, inText: c}
	if c != nil {
		m.ToolName, m.Command = c.tool, c.command
		if c.literal {
			m.Input = readers.Object(map[string]any{"cmd": c.command})
		}
		if info.escalated = c.asks; c.asks {
			info.extra.Set("escalation", escalate)
		}
	}
	t.attachToScript(s, info)
	return info
}

// attachToScript makes a call part of a script. It fills in the fields that the
// script's own call determines: parent, response and approval rules.
func (t *rollout) attachToScript(s *script, info *call) {
	info.ParentToolUseID, info.uuid, info.rules = s.ToolUseID, s.uuid, s.rules
	info.rules.prefixAllows = t.isAllowedByPrefix(info.Command)
	info.rules.saved = s.consumeSavedPrefix(info)
	if info.at == nil {
		info.at = s.at
	}
}

// addUnrecordedCall adds a call that no item describes to a script, and makes up an id
// for the call.
func (t *rollout) addUnrecordedCall(s *script, info *call) *call {
	s.unrecorded++
	info.ToolUseID = fmt.Sprintf("%s#%d", s.ToolUseID, s.unrecorded)
	if info.inText != nil {
		info.inText.isMatched = true
	}
	t.emitChild(info)
	return info
}

// emitChild emits a script's call, as part of the script's message.
func (t *rollout) emitChild(info *call) {
	c := info.ToolCall
	if text := patch.In(c.Command); c.ToolKind == tables.ToolCommand && text != "" {
		c.ToolKind = tables.ToolEdit
		patch.Set(c, text)
	}
	c.Extra = readers.Object(info.extra)
	t.calls[c.ToolUseID] = info
	t.callList = append(t.callList, info)
	if s := t.scriptByID(c.ParentToolUseID); s != nil {
		s.children = append(s.children, info)
	}
	t.emit(c)
}

// emitChildResult emits the result of a script's call that no item describes.
func (t *rollout) emitChildResult(r *record, info *call, status, output string) {
	info.result = &tables.ToolResult{ToolUseID: info.ToolUseID, Output: output, Status: status, DurationUnknown: true, Timestamp: r.at}
	t.emit(info.result)
}

// handleAgentActivity handles an item or event about a call of an agent tool, for example
// spawn_agent or close_agent. For spawn_agent, it records the session of the new agent.
func (t *rollout) handleAgentActivity(r *record, v *fastjson.Value, id string) {
	info := t.calls[id]
	if info == nil {
		t.handleNestedOnly(r, v, id)
		if info = t.calls[id]; info == nil {
			return
		}
	}
	if !strings.HasSuffix(info.ToolName, "spawn_agent") {
		return
	}
	thread := cmp.Or(readers.Text(v, "agent_thread_id"), readers.Text(v, "new_thread_id"), readers.Text(v, "receiver_thread_id"))
	if list := v.GetArray("receiver_thread_ids"); thread == "" && len(list) > 0 {
		thread = readers.Text(list[0])
	}
	info.spawned = cmp.Or(thread, info.spawned)
	if info.result != nil {
		info.result.SubagentSessionID = info.spawned
	}
}

// handleNestedOnly handles an item or event about a web search, an image view or an agent.
// These items describe scripts' calls as well as calls that have a line of their own.
// handleNestedOnly adds the call only if a script made it and the call is not known yet.
func (t *rollout) handleNestedOnly(r *record, v *fastjson.Value, id string) {
	if strings.HasPrefix(id, nestedID) && t.calls[id] == nil {
		t.handleNestedEnd(r, v, id, parseCallEnd(v))
	}
}

// subagentSession returns the session of the agent that a spawn_agent call started. The
// call's item names the session; otherwise the call's output (parameter text) may. The
// result is empty for other tools and for an unnamed session.
func (t *rollout) subagentSession(info *call, text string) string {
	if info.spawned != "" || !strings.HasSuffix(info.ToolName, "spawn_agent") || !strings.HasPrefix(text, "{") {
		return info.spawned
	}
	v, err := t.parser.Parse(text)
	if err != nil {
		return ""
	}
	return cmp.Or(readers.Text(v, "agent_id"), readers.Text(v, "thread_id"))
}

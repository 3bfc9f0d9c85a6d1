package export

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// object is a session object, see docs/session.schema.json, with the members that a
// trajectory needs by name.
type object struct {
	Session    row         `json:"session"`
	Messages   []objectRow `json:"messages"`
	ToolCalls  []objectRow `json:"tool_calls"`
	Compaction struct {
		Boundaries []objectRow `json:"boundaries"`
	} `json:"compaction"`
	Clears        []objectRow `json:"context_clears"`
	Interruptions []objectRow `json:"interruptions"`
	Rejections    []objectRow `json:"rejections"`
}

// row maps a row's columns to values.
type row map[string]json.RawMessage

// objectRow is a row with its text.
type objectRow struct {
	row
	text json.RawMessage
}

// UnmarshalJSON also keeps the text.
func (r *objectRow) UnmarshalJSON(text []byte) error {
	r.text = bytes.Clone(text)
	return json.Unmarshal(text, &r.row)
}

// string returns the text of a column, empty if null or not a text.
func (r row) string(name string) (s string) {
	_ = json.Unmarshal(r[name], &s)
	return s
}

// number returns the number in a column, nil if null.
func (r row) number(name string) (n *int64) {
	_ = json.Unmarshal(r[name], &n)
	return n
}

func (r row) is(name string, value string) bool { return string(r[name]) == value }

// time returns a time that ATIF accepts, with a year of four digits. Other times are
// left out.
func (r row) time(name string) string {
	text := r.string(name)
	if t, err := time.Parse(time.RFC3339Nano, text); err != nil || t.Year() < 1 {
		return ""
	}
	return text
}

// trajectoryOf makes a trajectory from a session object. files returns the path of a
// session's trajectory, empty if the session isn't exported.
func trajectoryOf(text []byte, files func(session string) string) (*trajectory, error) {
	var o object
	if err := json.Unmarshal(text, &o); err != nil {
		return nil, err
	}
	s := o.Session
	m := &steps{
		files: files, used: map[string]bool{}, byMessage: map[int64]*step{}, byCall: map[string]*step{},
		t: &trajectory{
			SchemaVersion: atifVersion, SessionID: s.string("session_id"), TrajectoryID: s.string("session_id"),
			Agent: atifAgent{Name: s.string("agent"), Version: cmp.Or(s.string("agent_version"), "unknown"), ModelName: s.string("model")},
		},
	}
	m.t.Agent.Extra.add(s, "origin")
	m.t.Extra.add(s, "kind", "title", "project", "host", "machine", "user", "started_at", "ended_at", "git_branch", "git_commit", "git_remote",
		"native_id", "parent_session_id", "forked_from", "previous_session_id")
	m.addMessages(&o)
	m.addEvents(&o)
	m.finish(s)
	return m.t, nil
}

// steps is a trajectory under construction.
type steps struct {
	t         *trajectory
	files     func(session string) string
	used      map[string]bool  // ids of calls
	byMessage map[int64]*step  // by message_index
	byCall    map[string]*step // by tool_use_id
}

// addMessages makes a step of each message, except messages with only tokens or only
// results. A call's result belongs to the step of the call, however late the result
// came.
func (m *steps) addMessages(o *object) {
	calls, brings := map[int64][]objectRow{}, map[int64][]string{}
	var loose []objectRow
	for _, c := range o.ToolCalls {
		if at := c.number("message_index"); at != nil {
			calls[*at] = append(calls[*at], c)
		} else {
			loose = append(loose, c)
		}
		if at := c.number("result_message_index"); at != nil {
			brings[*at] = append(brings[*at], c.string("tool_use_id"))
		}
	}
	for _, message := range o.Messages {
		at := message.number("message_index")
		if at == nil {
			at = new(int64)
		}
		if message.is("kind", `"usage"`) {
			m.addUsage(&message)
			continue
		}
		if made := m.bringer(message.row, brings[*at]); made != nil && len(calls[*at]) == 0 {
			m.byMessage[*at] = made
			continue
		}
		m.byMessage[*at] = m.addMessage(message.row, calls[*at])
		delete(calls, *at)
	}
	for _, c := range o.ToolCalls { // calls of messages missing in the log
		if at := c.number("message_index"); at != nil && calls[*at] != nil {
			loose = append(loose, c)
		}
	}
	for _, c := range loose {
		m.addCalls(m.add(&step{Timestamp: c.time("timestamp"), Source: "agent"}), []objectRow{c})
	}
}

// bringer returns the step with the call whose result a message brings. It returns nil
// if no step has the call, or if the message has a text, too. calls are the
// tool_use_ids of the message's results.
func (m *steps) bringer(message row, calls []string) *step {
	if !message.is("kind", `"tool_result"`) || message.string("text") != "" {
		return nil
	}
	for _, id := range calls {
		if s := m.byCall[id]; s != nil {
			return s
		}
	}
	return nil
}

func (m *steps) add(s *step) *step {
	m.t.Steps = append(m.t.Steps, s)
	s.StepID = len(m.t.Steps)
	return s
}

// byModel lists the columns that only a model's message has.
var byModel = []string{"model", "thinking", "input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "cache_write_1h_tokens", "reasoning_tokens"}

func sourceOf(message row) string {
	if message.is("role", `"assistant"`) {
		return "agent"
	}
	for _, name := range byModel {
		if value := message[name]; value != nil && string(value) != "null" {
			return "agent"
		}
	}
	switch message.string("kind") {
	case "prompt", "command":
		return "user"
	}
	return "system"
}

func (m *steps) addMessage(message row, calls []objectRow) *step {
	s := m.add(&step{Timestamp: message.time("timestamp"), Source: sourceOf(message), Message: message.string("text"), IsCopiedContext: message.is("is_copy", "true")})
	s.Extra.add(message, "message_index", "kind", "typed_by", "stop_reason", "uuid", "message_id", "origin_session_id")
	if message.is("is_active", "false") {
		s.Extra.add(message, "is_active")
	}
	if message.is("is_sidechain", "true") {
		s.Extra.add(message, "is_sidechain")
	}
	if !message.is("segment", "0") {
		s.Extra.add(message, "segment")
	}
	by := s
	if s.Source == "agent" {
		s.ModelName, s.ReasoningContent = message.string("model"), message.string("thinking")
		m.measure(s, message)
	} else if len(calls) > 0 { // a user's own commands; only an agent's step may have calls
		none := 0
		by = m.add(&step{Timestamp: s.Timestamp, Source: "agent", LLMCallCount: &none, IsCopiedContext: s.IsCopiedContext})
	}
	m.addCalls(by, calls)
	return s
}

func (m *steps) addCalls(s *step, calls []objectRow) {
	for _, c := range calls {
		id := c.string("tool_use_id")
		if m.byCall[id] == nil {
			m.byCall[id] = s
		}
		call := atifCall{ToolCallID: m.unused(id), FunctionName: cmp.Or(c.string("tool_name"), "unknown"), Arguments: c.row["input"]}
		if call.ToolCallID != id {
			call.Extra.add(c.row, "tool_use_id")
		}
		call.objectify()
		call.Extra.add(c.row, "tool_kind", "status", "decision", "decided_by", "decision_scope", "decision_confidence", "waited_ms", "parent_tool_use_id", "subagent_session_id")
		s.ToolCalls = append(s.ToolCalls, call)
		m.addResult(s, call.ToolCallID, c.row)
	}
}

// unused returns an id for a call, unique in the trajectory.
func (m *steps) unused(id string) string {
	id = cmp.Or(id, "call")
	unused := id
	for n := 2; m.used[unused]; n++ {
		unused = fmt.Sprintf("%s#%d", id, n)
	}
	m.used[unused] = true
	return unused
}

// objectify makes the arguments an object, as ATIF requires. Any other value becomes
// the member input of an object. Halves of surrogate pairs are replaced, because Python
// refuses them.
func (c *atifCall) objectify() {
	text := bytes.TrimSpace(c.Arguments)
	if len(text) == 0 || string(text) == "null" {
		text = []byte("{}")
	}
	if bytes.Contains(bytes.ToLower(text), []byte(`\ud`)) {
		var value any
		d := json.NewDecoder(bytes.NewReader(text))
		d.UseNumber()
		if d.Decode(&value) == nil {
			text, _ = json.Marshal(value)
		}
	}
	if text[0] != '{' {
		text = append(append([]byte(`{"input":`), text...), '}')
		c.Extra.set("arguments_are", "no object in the log: member input")
	}
	c.Arguments = text
}

// addResult adds a call's result, if the call has any.
func (m *steps) addResult(s *step, id string, c row) {
	r := callResult{SourceCallID: id}
	output, subagent := c.string("output"), c.string("subagent_session_id")
	came := c["result_message_index"] != nil && !c.is("result_message_index", "null") || output != ""
	if file := m.files(subagent); subagent != "" && file != "" {
		r.Subagents = []trajectoryRef{{file, subagent}}
	}
	if !came && r.Subagents == nil {
		return
	}
	if came {
		r.Content = &output
	}
	r.Extra.add(c, "is_error", "error_type", "exit_code", "duration_ms", "finished_at", "result_message_index")
	if s.Observation == nil {
		s.Observation = &observation{}
	}
	s.Observation.Results = append(s.Observation.Results, r)
}

// addEvents puts events that ATIF has no member for into the extra of their step, or of
// the trajectory if the step is missing.
func (m *steps) addEvents(o *object) {
	add := func(name string, list []objectRow, step func(row) *step) {
		for _, r := range list {
			to := &m.t.Extra
			if s := step(r.row); s != nil {
				to = &s.Extra
			}
			to.list(name, r.text)
		}
	}
	at := func(columns ...string) func(row) *step {
		return func(r row) *step {
			for _, column := range columns {
				if n := r.number(column); n != nil && m.byMessage[*n] != nil {
					return m.byMessage[*n]
				}
			}
			return nil
		}
	}
	add("rejections", o.Rejections, func(r row) *step {
		if s := m.byCall[r.string("tool_use_id")]; s != nil {
			return s
		}
		return at("message_index")(r)
	})
	add("interruptions", o.Interruptions, at("interrupted_message_index", "message_index", "prompt_index"))
	add("compactions", o.Compaction.Boundaries, at("after_message_index"))
	add("clears", o.Clears, at("after_message_index"))
}

func (m *steps) finish(session row) {
	f := &m.t.FinalMetrics
	f.TotalSteps = len(m.t.Steps)
	if cost := session["cost_usd"]; string(cost) != "null" {
		f.TotalCostUSD = cost
	}
	f.Extra.add(session, "prompt_count", "tool_call_count", "tool_error_count", "rejection_count", "interruption_count", "compaction_count", "reasoning_tokens", "cache_write_tokens", "cost_estimated_usd")
	var notes []string
	for _, s := range m.t.Steps {
		if s.IsCopiedContext {
			notes = append(notes, "Steps with is_copied_context also stand in the older session "+session.string("forked_from")+"; their tokens count there.")
			break
		}
	}
	m.t.Notes = strings.Join(notes, " ")
}

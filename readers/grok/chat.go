package grok

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// batch holds the calls of one answer that the program dropped, because an earlier call
// of the answer was refused. The updates lack them (FORMAT.md §4).
type batch struct {
	calls   []batchCall
	dropped []batchCall
}

// batches holds the batches with dropped calls, by the id of each call in them, in
// order: some servers use an id again.
type batches map[string][]*batch

// consume returns the calls that were dropped with a call, once.
func (b batches) consume(c *call) (dropped []batchCall) {
	list := b[c.native]
	if len(list) == 0 || !slices.ContainsFunc(list[0].calls, func(m batchCall) bool { return m.id == c.native && m.name == c.ToolName }) {
		return nil
	}
	b[c.native] = list[1:]
	dropped, list[0].dropped = list[0].dropped, nil
	return dropped
}

type batchCall struct {
	id, name, arguments, result string
}

// droppedStart begins the result of a dropped call. Words about the earlier refusal
// follow, and the tool's name.
const droppedStart = "Tool execution cancelled "

var (
	chatStarts  = []string{`{"type":"`}
	chatCalls   = []byte(`"tool_calls":[`)
	chatDropped = []byte(droppedStart)
)

// readBatches reads the chat beside a session's updates, and returns the batches with
// dropped calls, by the id of each call in them. The chat is rewritten by a rewind and
// by a compaction, so calls may be missing.
func readBatches(in *readers.Input) (batches, error) {
	rel := path.Join(path.Dir(in.Rel), chatFile)
	in.Watch(rel)
	c := chat{batches: batches{}}
	_, err := in.LinesBeside(rel, func(line readers.Line) {
		if bytes.Contains(line.Bytes, chatCalls) || bytes.Contains(line.Bytes, chatDropped) {
			c.decoder.Objects(line, chatStarts, c.handle, func(*tables.Problem) {})
		}
	})
	return c.batches, err
}

// chat is a reading of the chat.
type chat struct {
	decoder readers.Decoder
	last    []batchCall // calls of the last answer
	batch   *batch      // of these calls; nil until one of them was dropped
	batches batches
}

func (c *chat) handle(v *fastjson.Value) {
	switch readers.Text(v, "type") {
	case "assistant":
		c.last, c.batch = c.last[:0], nil
		for _, call := range v.GetArray("tool_calls") {
			c.last = append(c.last, batchCall{id: readers.Text(call, "id"), name: readers.Text(call, "name"), arguments: readers.Text(call, "arguments")})
		}
	case "tool_result":
		if result := readers.Text(v, "content"); strings.HasPrefix(result, droppedStart) {
			c.addDropped(readers.Text(v, "tool_call_id"), result)
		}
	}
}

func (c *chat) addDropped(id, result string) {
	for _, m := range c.last {
		if m.id != id || id == "" {
			continue
		}
		if c.batch == nil {
			c.batch = &batch{calls: slices.Clone(c.last)}
			for _, of := range c.last {
				c.batches[of.id] = append(c.batches[of.id], c.batch)
			}
		}
		m.result = result
		c.batch.dropped = append(c.batch.dropped, m)
		return
	}
}

// emitDropped emits the calls that were dropped with a refused call, and their ends. They
// belong to the refused call's answer.
func (l *log) emitDropped(c *call, u *update) {
	for _, m := range l.batches.consume(c) {
		if l.turn.hasCall(m.id, c.response) {
			continue // the updates have it
		}
		l.returnTo(c.response, u)
		own := &call{native: m.id, response: c.response, ended: true}
		arguments, _ := fastjson.Parse(m.arguments) // nil if they are no JSON
		own.setTool(m.name, "", arguments)
		if own.ToolUseID = m.id; l.calls[m.id] != nil {
			own.ToolUseID = m.id + "@" + u.id
		}
		own.Timestamp, own.Line = u.at, u.line
		own.Extra = readers.Object(map[string]any{"only_in": chatFile})
		l.calls[m.id] = own
		l.in.Emit(&own.ToolCall)
		l.in.Emit(&tables.ToolResult{ToolUseID: own.ToolUseID, Output: m.result, Status: tables.StatusSkipped, DurationUnknown: true, Timestamp: u.at})
	}
}

// hasCall reports whether an answer of the turn has a call with an id.
func (t *turn) hasCall(id string, response *tables.Message) bool {
	if t == nil {
		return false
	}
	for _, c := range slices.Backward(t.calls) {
		if c.response != response {
			return false
		}
		if c.native == id {
			return true
		}
	}
	return false
}

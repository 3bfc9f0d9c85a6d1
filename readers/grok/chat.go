package grok

import (
	"bytes"
	"errors"
	"io/fs"
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
	calls   []mate
	dropped []mate
}

// batches holds the batches with dropped calls, by the id of each call in them, in
// order: some servers use an id again.
type batches map[string][]*batch

// take returns the calls that were dropped with a call, once.
func (b batches) take(c *call) (dropped []mate) {
	list := b[c.native]
	if len(list) == 0 || !slices.ContainsFunc(list[0].calls, func(m mate) bool { return m.id == c.native && m.name == c.ToolName }) {
		return nil
	}
	b[c.native] = list[1:]
	dropped, list[0].dropped = list[0].dropped, nil
	return dropped
}

type mate struct {
	id, name, arguments, said string
}

// droppedStart begins the result of a dropped call. Words about the earlier refusal
// follow, and the tool's name.
const droppedStart = "Tool execution cancelled "

var (
	chatStarts  = []string{`{"type":"`}
	chatCalls   = []byte(`"tool_calls":[`)
	chatDropped = []byte(droppedStart)
)

// matesIn reads the chat beside a session's updates, and returns the batches with
// dropped calls, by the id of each call in them. The chat is rewritten by a rewind and
// by a compaction, so calls may be missing.
func matesIn(in *readers.Input) (batches, error) {
	rel := path.Join(path.Dir(in.Rel), chatFile)
	in.Watch(rel)
	f, err := in.Aside(rel)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.As(err, new(*readers.NotAFile)):
		return nil, nil
	case err != nil:
		return nil, &readers.Unread{Err: err, Beside: rel}
	}
	defer f.Close()
	c := chat{mates: batches{}}
	for line, err := range readers.Lines(f) {
		if err != nil {
			return nil, &readers.Unread{Err: err, Beside: rel}
		}
		if bytes.Contains(line.Bytes, chatCalls) || bytes.Contains(line.Bytes, chatDropped) {
			c.decoder.Objects(line, chatStarts, c.take, func(*tables.Problem) {})
		}
	}
	return c.mates, nil
}

// chat is a reading of the chat.
type chat struct {
	decoder readers.Decoder
	last    []mate // calls of the last answer
	batch   *batch // of these calls; nil until one of them was dropped
	mates   batches
}

func (c *chat) take(v *fastjson.Value) {
	switch readers.Text(v, "type") {
	case "assistant":
		c.last, c.batch = c.last[:0], nil
		for _, call := range v.GetArray("tool_calls") {
			c.last = append(c.last, mate{id: readers.Text(call, "id"), name: readers.Text(call, "name"), arguments: readers.Text(call, "arguments")})
		}
	case "tool_result":
		if said := readers.Text(v, "content"); strings.HasPrefix(said, droppedStart) {
			c.drop(readers.Text(v, "tool_call_id"), said)
		}
	}
}

func (c *chat) drop(id, said string) {
	for _, m := range c.last {
		if m.id != id || id == "" {
			continue
		}
		if c.batch == nil {
			c.batch = &batch{calls: slices.Clone(c.last)}
			for _, of := range c.last {
				c.mates[of.id] = append(c.mates[of.id], c.batch)
			}
		}
		m.said = said
		c.batch.dropped = append(c.batch.dropped, m)
		return
	}
}

// dropMates emits the calls that were dropped with a refused call, and their ends. They
// belong to the refused call's answer.
func (l *log) dropMates(c *call, u *update) {
	for _, m := range l.mates.take(c) {
		if l.turn.has(m.id, c.response) {
			continue // the updates have it
		}
		l.toResponse(c.response, u)
		own := &call{native: m.id, response: c.response, ended: true}
		arguments, err := fastjson.Parse(m.arguments)
		if err != nil {
			arguments = nil
		}
		own.fill(m.name, "", arguments)
		if own.ToolUseID = m.id; l.calls[m.id] != nil {
			own.ToolUseID = m.id + "@" + u.id
		}
		own.Timestamp, own.Line = u.at, u.line
		own.Extra = readers.Object(map[string]any{"only_in": chatFile})
		l.calls[m.id] = own
		l.in.Emit(&own.ToolCall)
		l.in.Emit(&tables.ToolResult{ToolUseID: own.ToolUseID, Output: m.said, Status: tables.StatusSkipped, DurationUnknown: true, Timestamp: u.at})
	}
}

// has reports whether an answer of the turn has a call with an id.
func (t *turn) has(id string, response *tables.Message) bool {
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

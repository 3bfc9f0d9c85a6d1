package grok

import (
	"bytes"
	"errors"
	"io/fs"
	"path"
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// batch holds the calls of one answer that the program dropped, because an earlier call
// of the answer was refused. The updates lack them (FORMAT.md §4).
type batch struct {
	dropped []mate
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
func matesIn(in *readers.Input) (map[string]*batch, error) {
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
	c := chat{mates: map[string]*batch{}}
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
	mates   map[string]*batch
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
			c.batch = &batch{}
			for _, of := range c.last {
				c.mates[of.id] = c.batch
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
	b := l.mates[c.native]
	if b == nil || len(b.dropped) == 0 {
		return
	}
	dropped := b.dropped
	b.dropped = nil
	for _, m := range dropped {
		if l.calls[m.id] != nil {
			continue // the updates have it
		}
		l.toResponse(c.response, u)
		own := &call{native: m.id, response: c.response, ended: true}
		input := `{}`
		if v, err := fastjson.Parse(m.arguments); err == nil {
			input = readers.JSON(v)
			own.fill(m.name, v)
		} else {
			own.fill(m.name, nil)
		}
		own.ToolUseID, own.Input, own.Timestamp, own.Line = m.id, input, u.at, u.line
		own.Extra = readers.Object(map[string]any{"only_in": chatFile})
		l.calls[m.id] = own
		l.in.Emit(&own.ToolCall)
		l.in.Emit(&tables.ToolResult{ToolUseID: m.id, Output: m.said, Status: tables.StatusSkipped, DurationUnknown: true, Timestamp: u.at})
	}
}

package gemini

import (
	"cmp"
	"time"

	"hindsql/readers"
	"hindsql/tables"
)

// finish emits all rows of the chat.
func (c *chat) finish() {
	if len(c.entries) == 0 && c.facts.hash == "" && c.facts.id == "" {
		return
	}
	c.own = c.session()
	c.in.Emit(c.own)
	c.settle()
	for i := range c.entries {
		c.emit(i)
	}
	c.emitInactive()
}

// settle determines how each call ended, from the records around the call.
func (c *chat) settle() {
	for i, e := range c.entries {
		e.UUID = c.uuidOf(e)
		for _, a := range e.answers {
			if t := c.calls[a.ToolUseID]; t != nil && (!t.answered || t.masked) {
				t.answer(parts{answers: []*call{a}})
			}
		}
		for _, t := range e.calls {
			c.unmask(t)
		}
		if i > 0 {
			c.settleCalls(i - 1)
		}
	}
	c.settleCalls(len(c.entries) - 1)
}

// uuidOf returns an id that is the same in all copies of a message. Some of the agent's
// ids are the same in every session, or empty (FORMAT.md §1.3).
func (c *chat) uuidOf(e *entry) string {
	if e == nil || e.native == "" {
		return ""
	}
	if len(e.native) >= 32 && e.Message.Kind != tables.KindInjected {
		return e.native
	}
	if uuid.MatchString(e.native) {
		return e.native
	}
	return c.own.SessionID + "@" + c.facts.start.Format(time.RFC3339Nano) + "/" + e.native
}

func (c *chat) emit(i int) {
	e := c.entries[i]
	if e.Message.Kind == tables.KindResponse && e.Model != "" {
		c.model = e.Model
	}
	if typed(e.Message.Kind) && c.served(c.own.NativeID) {
		e.TypedBy = tables.TypedBySDK
	}
	c.in.Emit(&e.Message)
	for _, t := range e.calls {
		c.in.Emit(&t.ToolCall)
		c.emitResult(t)
		c.emitRefusal(i, t)
	}
	for _, a := range e.answers {
		if c.calls[a.ToolUseID] == nil { // the file lost the call
			o := outcomeOf(&call{answered: true, output: a.output, failure: a.failure})
			c.in.Emit(&tables.ToolResult{ToolUseID: a.ToolUseID, Output: joined(a.output, a.failure), Status: o.status, ErrorType: o.errorType, Timestamp: e.Timestamp})
		}
	}
	c.compaction(e)
	c.interruption(i)
}

func (c *chat) emitResult(t *call) {
	if t.outcome.status == tables.StatusPending {
		return
	}
	output := joined(t.output, t.failure)
	output = cmp.Or(output, t.display)
	if t.outcome.claimed {
		t.claim()
	}
	r := &tables.ToolResult{
		ToolUseID: t.ToolUseID,
		Output:    output,
		Status:    t.outcome.status,
		ErrorType: t.outcome.errorType,
		ExitCode:  t.outcome.exitCode,
		Timestamp: t.ended(),
		Extra:     readers.Object(t.extra),
	}
	r.Answers = answersOf(t, output)
	if t.agent != "" {
		r.SubagentSessionID = c.facts.id + "/" + t.agent
	}
	c.in.Emit(r)
}

// emitInactive emits the messages that a rewind or a checkpoint removed.
func (c *chat) emitInactive() {
	var left []string
	for _, e := range c.entries {
		if !e.seen && e.UUID != "" {
			left = append(left, e.UUID)
		}
	}
	if len(left) > 0 {
		c.in.Emit(&tables.Inactive{UUIDs: left})
	}
}

package kimi

import (
	"strings"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/internal/pattern"
	"hindsql/readers"
	"hindsql/tables"
)

// result is the line of a call's end.
type result struct {
	uuid      string
	output    string
	failed    bool
	duration  tables.Maybe[int64] // ms
	at        time.Time
	line      int64
	record    int64
	cancelled bool // the turn had been cancelled
	content   content
}

// toolResult handles the end of a call.
func (w *wire) toolResult(event *fastjson.Value) {
	id, parent := readers.Text(event, "toolCallId"), readers.Text(event, "parentUuid")
	c := w.byUUID[parent]
	if c == nil {
		c = w.calls[id]
	}
	uuid := parent + "#result"
	if parent == "" {
		uuid = w.chat.newID("result")
	} else if w.chat.seen[uuid] {
		return // a repeated line
	}
	w.chat.seen[uuid] = true
	v := event.Get("result")
	r := &result{
		uuid: uuid, failed: readers.Bool(v, "isError"), duration: readers.Count(v, "durationMs"),
		at: w.chat.at, line: w.chat.line, record: w.chat.record, cancelled: w.turn.cancelled, content: w.chat.readContent(v.Get("output")),
	}
	r.output = r.content.text()
	switch {
	case c == nil:
		w.emitEnd(&call{ToolCall: tables.ToolCall{ToolUseID: id}, result: r}) // the call's line is missing
	case c.result != nil:
	default:
		if c.result = r; c.step == nil || c.step.isClosed {
			w.emitEnd(c)
		}
	}
}

// quotedResult handles a call's result in a message: of a copy, or from kimi-cli.
func (w *wire) quotedResult(message *fastjson.Value) {
	id := readers.Text(message, "toolCallId")
	c := w.calls[id]
	if c == nil || c.result != nil {
		return
	}
	body := w.chat.readContent(message.Get("content"))
	c.result = &result{output: body.text(), failed: message.GetBool("isError"), at: w.chat.at, content: body}
	w.in.Emit(c.newResult())
}

// emitEnd emits the end of a call: its result, and the decision about it. A call without
// a result is pending, unless it was refused, or stopped at its ask.
func (w *wire) emitEnd(c *call) {
	a := c.ask
	r := c.newResult()
	refusal, decision := c.resolveDecision(r)
	if refusal != nil || decision != nil && decision.Decision == tables.Cancelled {
		r.DurationUnknown, r.DurationMS = true, tables.Maybe[int64]{}
	}
	switch {
	case c.result != nil:
		w.chat.emitMessage(&entry{record: c.result.record, Message: &tables.Message{
			UUID: c.result.uuid, Role: tables.RoleUser, Kind: tables.KindToolResult, Timestamp: c.result.at, Line: c.result.line,
		}})
		w.in.Emit(r)
		c.emitted = r
	case refusal != nil:
		r.Timestamp = a.answeredAt
		w.in.Emit(r)
	case a != nil && a.isStopped:
		r.Status, r.Timestamp, r.DurationUnknown = tables.StatusInterrupted, w.chat.at, true
		w.in.Emit(r)
	default:
		c.ToolCall.Extra = readers.Object(c.extra)
	}
	if refusal != nil {
		w.in.Emit(refusal)
	}
	if decision != nil {
		w.in.Emit(decision)
	}
	w.turn.setPartialOutput(c, r)
}

// newResult returns the event for a call's result.
func (c *call) newResult() *tables.ToolResult {
	r := &tables.ToolResult{ToolUseID: c.ToolUseID, Status: tables.StatusOK}
	if end := c.result; end != nil {
		r.Output, r.Timestamp, r.DurationMS = end.output, end.at, end.duration
		c.extra.Images(end.content.images)
		c.setStatus(r)
	}
	switch len(c.subagent) {
	case 0:
	case 1:
		r.SubagentSessionID = c.subagent[0]
	default:
		c.extra.Set("subagents", c.subagent)
	}
	if c.ask != nil {
		r.Answers = c.ask.answers
		c.extra.Text("selected_label", c.ask.label)
	}
	r.Extra = readers.Object(c.extra)
	return r
}

// The last lines of Bash's own output (FORMAT.md §6).
var (
	exited   = pattern.Lazy(`(?:^|\n)Command failed with exit code: (-?\d+)\.(?:\n|$)`)
	timedOut = pattern.Lazy(`(?:^|\n)Command killed by timeout \([^()\n]*\)(?:\n|$)`)
)

// interruptedByUser ends the output of a command that the user stopped. The result of any
// other call begins with interruptedWithMates. They count only in a turn that was
// stopped.
const (
	interruptedByUser    = "Interrupted by user"
	interruptedWithMates = `The user manually interrupted "`
)

// setStatus sets how a call ended.
func (c *call) setStatus(r *tables.ToolResult) {
	end := c.result
	if !end.failed {
		return
	}
	r.Status, r.ErrorType = tables.StatusError, tables.ErrorOther
	switch text := end.output; {
	case end.cancelled || c.ask != nil && c.ask.isStopped:
		r.Status, r.ErrorType = tables.StatusInterrupted, ""
	case text == `Tool "`+c.ToolName+`" not found`, strings.HasPrefix(text, `Invalid args for tool "`+c.ToolName+`"`):
		r.ErrorType = tables.ErrorInvalidCall
	case c.ToolKind == tables.ToolCommand:
		setCommandError(r, text)
	case c.ToolKind == tables.ToolRead && strings.HasSuffix(text, "does not exist."):
		r.ErrorType = tables.ErrorNotFound
	}
}

// setCommandError sets how a command failed: the last line says so.
func setCommandError(r *tables.ToolResult, text string) {
	tail := text[max(0, len(text)-maxTail):]
	if codes := exited.FindAllStringSubmatch(tail, -1); len(codes) > 0 {
		r.ErrorType = tables.ErrorExitCode
		r.ExitCode = readers.ExitCode(codes[len(codes)-1][1], 64)
	} else if timedOut.MatchString(tail) {
		r.ErrorType = tables.ErrorTimeout
	}
}

// maxTail is the length in bytes of the end of an output that is searched. A note on a
// file with the whole output may follow the last line.
const maxTail = 2000

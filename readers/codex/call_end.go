package codex

import (
	"cmp"
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/internal/pattern"
	"hindsql/readers"
	"hindsql/tables"
)

// callEnd holds how a call ended, as an event or item describes it.
type callEnd struct {
	declined, failed, began bool
	code, duration          tables.Maybe[int64]
	waited                  tables.Maybe[int64] // milliseconds before the call began
	err                     string              // error of an MCP server's tool
	words                   string              // Codex's words about a call not carried out
	output                  string
}

// handleCallEnd handles exec_command_end and similar events, and the items that replace
// these events in the paginated format. The event comes before or after the call's
// output. If the call has no line of its own, a script made it.
func (t *rollout) handleCallEnd(r *record, v *fastjson.Value, id string) {
	e := parseCallEnd(v)
	t.itemsOfMCP = t.itemsOfMCP || strings.HasPrefix(r.sub, "mcp_") || readers.Text(v, "type") == "McpToolCall"
	info := t.calls[id]
	if info == nil {
		t.handleNestedEnd(r, v, id, e)
		return
	}
	info.end = e
	e.waited = t.waitFromItem(r, info, e)
	if e.began || e.code.OK && !e.declined {
		t.voidInferredRefusal(info)
	}
	if info.result != nil {
		t.completeResult(r, info)
	}
}

func parseCallEnd(v *fastjson.Value) *callEnd {
	e := &callEnd{
		code:   readers.Count(v, "exit_code"),
		err:    withoutTrace(cmp.Or(readers.Text(v, "result", "Err"), readers.Text(v, "error", "message"))),
		output: readers.Text(v, "aggregated_output"),
	}
	status := readers.Text(v, "status")
	e.declined = status == "declined"
	e.failed = status == "failed" || e.err != "" || readers.Is(v.Get("success"), fastjson.TypeFalse)
	for _, keys := range [][]string{{"result"}, {"result", "Ok"}} {
		e.failed = e.failed || readers.Bool(v, append(keys, "isError")...)
		if content := v.Get(append(keys, "content")...); content != nil {
			e.output, _ = contentText(content)
		}
	}
	if d := v.Get("duration"); d != nil && d.Type() == fastjson.TypeObject {
		e.duration = durationOf(d)
	}
	e.began = e.output != "" && !e.declined
	e.output = cmp.Or(e.output, readers.Text(v, "stdout"), readers.Text(v, "stderr"), e.err)
	if e.declined {
		e.words = cmp.Or(readers.Text(v, "stderr"), e.output)
	}
	return e
}

// durationOf reads a duration as Rust writes it, and returns milliseconds.
func durationOf(d *fastjson.Value) tables.Maybe[int64] {
	secs, nanos := readers.Count(d, "secs").Value, readers.Count(d, "nanos").Value
	if secs < 0 || secs > tables.MaxCount || nanos < 0 || nanos >= 1e9 {
		return tables.Some[int64](tables.NotACount)
	}
	return tables.Some(secs*1000 + nanos/1e6)
}

// withoutTrace cuts off the stack trace of an error.
func withoutTrace(text string) string {
	text, _, _ = strings.Cut(text, "\n\nStack backtrace")
	return text
}

// outcome is how a call ended, as far as its item says.
type outcome struct {
	status, errorType string
	refused           *refusal
	timeout           string // the program's words about a timeout; empty if none
}

var (
	commandTimeout = pattern.Lazy(`^command timed out after \d+ milliseconds`)
	mcpTimeout     = pattern.Lazy(`timed out awaiting tools/call after [^\s"]+`)
)

func (e *callEnd) outcome() outcome {
	if d, ok := e.parseRefusal(""); ok {
		return outcome{status: d.status(), refused: &d}
	}
	failed := func(errorType, timeout string) outcome {
		return outcome{status: tables.StatusError, errorType: errorType, timeout: timeout}
	}
	switch timeout := mcpTimeout.FindString(e.err); {
	case timeout != "":
		return failed(tables.ErrorTimeout, timeout)
	case e.code.OK && e.code.Value == timeoutCode && commandTimeout.MatchString(e.output):
		return failed(tables.ErrorTimeout, commandTimeout.FindString(e.output))
	case e.code.OK && e.code.Value != 0:
		return failed(tables.ErrorExitCode, "")
	case e.failed:
		return failed(tables.ErrorOther, "")
	}
	return outcome{status: tables.StatusOK}
}

// outcome returns how the call ended, as far as its item says.
func (c *call) outcome() outcome {
	o := c.end.outcome()
	if o.refused != nil {
		d := c.withAuthor(*o.refused)
		o.refused, o.status = &d, d.status()
	}
	return o
}

// withAuthor returns the refusal d with the right author. Under the policy "never",
// Codex itself refuses an MCP server's call that needs a question, but in the words of
// a person's refusal.
func (c *call) withAuthor(d refusal) refusal {
	if d.by == tables.ByUser && c.ToolKind == tables.ToolMCP && c.rules.policy == policyNever {
		d.by = tables.ByMode
	}
	return d
}

// parseRefusal returns the refusal that an item's status or error states; false if it
// states none. output is the call's output; a declined item may have Codex's words
// there. No MCP server can imitate the error, because Codex puts its own words before a
// server's errors.
func (e *callEnd) parseRefusal(output string) (refusal, bool) {
	if e.declined {
		d, ok := refusalIn(cmp.Or(e.words, output))
		if !ok {
			d = declinedByEvent
		}
		d.kind = cmp.Or(d.kind, "declined")
		return d, true
	}
	if e.err == "" {
		return refusal{}, false
	}
	d, ok := reasonIn(e.err)
	if ok && d.by == tables.ByUser && e.duration.Value > 0 {
		d = d.byWording() // a declined call took no time
	}
	return d, ok
}

// declinedByEvent is the refusal if an item's status is "declined" and no words say
// more. The confidence is below 1 because Codex also calls some refusals "declined"
// that no user made.
var declinedByEvent = refusal{by: tables.ByUser, evidence: tables.EvidenceRecorded, confidence: 0.8}

// completeResult completes the result of a call with facts that only the item or event
// holds.
func (t *rollout) completeResult(r *record, info *call) {
	result, o := info.result, info.outcome()
	inBackground := !result.ExitCode.OK && info.end.code.OK
	if !result.ExitCode.OK && o.refused == nil {
		result.ExitCode = info.end.code
	}
	if !result.DurationMS.OK {
		result.DurationMS = info.end.duration
	}
	if info.end.err != "" {
		result.Output = withoutTrace(result.Output)
	}
	info.voidWordedRefusal(o)
	switch {
	case o.refused != nil && result.Status != tables.StatusRejected && result.Status != tables.StatusDenied:
		t.emitRefusal(r, info, *o.refused)
		result.Status, result.ErrorType = o.status, ""
	case result.Status == tables.StatusOK && o.refused == nil:
		if result.Status, result.ErrorType = o.status, o.errorType; inBackground && info.end.code.Value == killedCode {
			result.Status, result.ErrorType = tables.StatusInterrupted, "" // it ended with the program
		}
		if o.timeout != "" {
			t.emitTimeout(r, info, o.timeout, "")
		}
	}
}

// voidWordedRefusal voids an MCP call's refusal that was read from the output's words: the
// item or event, which came later, says how the call really ended.
func (c *call) voidWordedRefusal(o outcome) {
	if c.wordedRejection == nil || c.ToolKind != tables.ToolMCP {
		return
	}
	c.wordedRejection.Void, c.wordedRejection, c.refused = true, nil, false
	c.result.Status, c.result.ErrorType = o.status, o.errorType
	if o.refused != nil {
		c.result.Status = tables.StatusOK // completeResult emits the refusal next
	}
}

// emitTimeout emits an interruption by the system of a call that reached the timeout.
func (t *rollout) emitTimeout(r *record, info *call, marker, partial string) {
	t.emit(&tables.Interruption{
		Type: tables.InterruptedBySystem, Phase: tables.PhaseTool, CutUUID: info.uuid, ToolUseID: info.ToolUseID,
		Marker: marker, PartialOutput: partial, Evidence: tables.EvidenceRecorded, Confidence: 1, Timestamp: r.at,
	})
}

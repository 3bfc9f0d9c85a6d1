package pilines

import (
	"strconv"
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// nested handles the calls that a script, or an extension's tool, made while it ran. The
// result of the script lists them (readers/pi/FORMAT.md §4.4). outer is the id of the
// script's call in the rows.
func (l *log) nested(e *entry, outer string, v *fastjson.Value) {
	for i, n := range v.GetArray("nestedCalls", "calls") {
		id := readers.Text(n, "id")
		parent := outer
		if rest, is := strings.CutPrefix(id, readers.Text(v, "toolCallId")+"/"); is {
			id = outer + "/" + rest
			if at := strings.LastIndexByte(rest, '/'); at > 0 && l.calls[outer+"/"+rest[:at]] != nil {
				parent = outer + "/" + rest[:at] // the call of a script's call
			}
		}
		if l.calls[id] != nil || id == "" {
			id += "@" + e.uuid + "/" + strconv.Itoa(i)
		}
		c := newCall(id, l.words.Of(n.GetStringBytes("name")), n.Get("arguments"))
		c.ParentToolUseID, c.Line = parent, e.line
		if size := readers.Int(n, "argumentsBytes"); size.OK { // pi leaves out long arguments
			c.Extra = readers.Object(map[string]any{"arguments_bytes": size.Value})
		}
		l.calls[id] = c
		l.in.Emit(&c.ToolCall)
		l.nestedResult(e, c, n)
	}
}

// nestedResult handles the end of a script's call. The log has no output, and no time
// except the duration. A refused call has a duration, too: the wait for the user. So
// only pi's own sentence, as the whole error of pi's own tool, tells a refusal.
func (l *log) nestedResult(e *entry, c *call, v *fastjson.Value) {
	r := &result{ToolResult: tables.ToolResult{
		ToolUseID: c.ToolUseID, Output: readers.Text(v, "error"), Status: tables.StatusOK,
		DurationMS: readers.Count(v, "durationMs"), DurationUnknown: true, Timestamp: e.at,
	}}
	c.result = r
	var refusal *tables.Rejection
	switch status := readers.Text(v, "status"); status {
	case "ok":
	case "error":
		r.fail(c.ToolName, nil)
		if refusal = l.refusal(c.ToolName, r, false); refusal == nil && r.ErrorType == tables.ErrorOther && claims(r.Output) {
			r.Extra = claimedDenial
		}
	case "unfinished": // the user stopped the script, or the script ended first
		r.cut("")
	default:
		l.kinds.Count("toolResult content/nestedCalls "+status, false, "", e.at)
		return
	}
	wait := &tables.Decision{ToolUseID: c.ToolUseID, Confidence: decidedByWording}
	if refusal != nil && refusal.DecidedBy == tables.ByUser {
		wait.WaitedMS, r.DurationMS = r.DurationMS, wait.WaitedMS
	}
	l.in.Emit(&r.ToolResult)
	if refusal != nil {
		l.in.Emit(refusal)
		l.in.Emit(wait)
	}
}

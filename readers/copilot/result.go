package copilot

import (
	"cmp"
	"math"
	"strconv"
	"strings"
	"time"

	"hindsql/internal/pattern"
	"hindsql/readers"
	"hindsql/tables"
)

// executionEnded handles the end of a call (FORMAT.md §3.4).
func (l *log) executionEnded(e *event) {
	id := readers.Text(e.Value, "toolCallId")
	if e.GetBool("isUserRequested") || l.typed[id] {
		l.typedEnded(e)
		return
	}
	c := l.calls[id]
	if c == nil {
		c = &call{native: id, thread: l.thread(e)} // it makes no row
		c.ToolUseID = id
	}
	r := &tables.ToolResult{ToolUseID: c.ToolUseID, Output: outputOf(e), Timestamp: e.at, SubagentSessionID: c.child}
	r.Status, r.ErrorType, r.ExitCode = c.ended(e, r.Output)
	r.Answers = c.answers
	l.resultBy(c.thread, e)
	r.DurationMS = since(c.ranFrom(), e.at)
	extra := readers.Extra{}
	extra.JSON("error_code", e.Get("error", "code"))
	extra.Images(imagesOf(e))
	r.Extra = readers.Object(extra)
	refusal := c.refusedBy(e, r.Output)
	if refusal != nil {
		r.Status, r.ErrorType, r.DurationMS = refusedStatus(refusal), "", tables.Maybe[int64]{}
		r.DurationUnknown = true
	}
	l.say(c.thread, e.message(tables.RoleUser, tables.KindToolResult, ""))
	c.result = r
	l.emit(c.thread, r)
	if refusal != nil {
		l.refuse(c, refusal)
	} else if c.ToolKind == tables.ToolPlan || c.ToolKind == tables.ToolQuestion {
		l.answered(c, e)
	}
}

// ranFrom returns when a call began to run: the time of its grant, otherwise of its
// start.
func (c *call) ranFrom() time.Time {
	if !c.grantedAt.IsZero() {
		return c.grantedAt
	}
	return c.started
}

// outputOf returns the model's result.
func outputOf(e *event) string {
	return cmp.Or(
		readers.Text(e.Value, "result", "content"), readers.Text(e.Value, "error", "message"),
		readers.Text(e.Value, "result", "detailedContent"), readers.FirstText(e.Value, "result", "error"), // result or error as plain texts: in no log so far
	)
}

func imagesOf(e *event) []readers.Image {
	var images []readers.Image
	for _, v := range e.GetArray("result", "binaryResultsForLlm") {
		images = append(images, readers.ImageOf(valid(readers.Text(v, "mimeType")), v.GetStringBytes("data")))
	}
	return images
}

// ended returns how a call ended that was allowed to run. A command that ran and failed
// is recorded as a success of the tool, so its exit code decides.
func (c *call) ended(e *event, output string) (status, errorType string, exit tables.Maybe[int64]) {
	if c.ToolKind == tables.ToolCommand {
		exit = exitCode(e, output)
	}
	switch {
	case exit.OK && exit.Value != 0:
		return tables.StatusError, tables.ErrorExitCode, exit
	case !e.GetBool("success"):
		return tables.StatusError, errorTypeOf(readers.Text(e.Value, "error", "code"), output), exit
	}
	return tables.StatusOK, "", exit
}

// exitLine matches the last line of an ended command's output, in versions without a
// recorded exit code: three wordings, the newest first.
var exitLine = pattern.Lazy(`<(?:shellId: [^<>\n]* completed|command with id: [^<>\n]* exited|exited) with exit code (-?\d+)>\s*$`)

func exitCode(e *event, output string) tables.Maybe[int64] {
	for _, keys := range [][]string{{"shellExecution", "exitCode"}, {"toolTelemetry", "metrics", "exit_code"}} {
		if n := readers.Int(e.Value, keys...); n.OK {
			return n
		}
	}
	m := exitLine.FindStringSubmatch(output[max(0, len(output)-200):])
	if m == nil {
		return tables.Maybe[int64]{}
	}
	n, err := strconv.ParseInt(m[1], 10, 64)
	return tables.Maybe[int64]{Value: n, OK: err == nil && n >= math.MinInt32 && n <= math.MaxUint32} // Windows writes unsigned codes
}

// errorWords maps patterns of a failed call's text to error types.
var errorWords = readers.ErrorWordsOf(
	`(?i)^(This session uses the structured|Call \S+ again|Tool .{0,80} (does not exist|not found)|Invalid (input|arguments?|parameters?)|.{0,80}(is required|must be a|Missing required))`,
	`(?i)ENOENT|no such file|(file|path|directory) .{0,200}(not found|does not exist)|(not found|does not exist).{0,40}(file|path|directory)`,
	`(?i)timed? ?out`,
)

func errorTypeOf(code, text string) string {
	if strings.Contains(code, "timeout") {
		return tables.ErrorTimeout
	}
	return errorWords.Type(text[:min(len(text), 1000)])
}

// userRequested handles a command that the user typed after "!". It is no call of the
// model.
func (l *log) userRequested(e *event) {
	l.typed[readers.Text(e.Value, "toolCallId")] = true
	m := e.message(tables.RoleUser, tables.KindCommand, "!"+readers.Text(e.Value, "arguments", "command"))
	l.say(l.thread(e), m)
}

// typedEnded handles the output of a command that the user typed.
func (l *log) typedEnded(e *event) {
	m := e.message(tables.RoleUser, tables.KindCommandOutput, outputOf(e))
	extra := readers.Extra{}
	extra.Int("exit_code", exitCode(e, m.Text))
	m.Extra = readers.Object(extra)
	l.say(l.thread(e), m)
}

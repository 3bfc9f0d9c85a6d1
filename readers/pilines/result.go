package pilines

import (
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/internal/pattern"
	"hindsql/readers"
	"hindsql/tables"
)

// result is the end of a call.
type result struct {
	tables.ToolResult
	saysCut bool   // the words say that the call was cut, or may have been
	closed  bool   // the user closed the call's question
	printed string // output before the words of a cut
}

// toolResult handles the end of a call (readers/pi/FORMAT.md §4.1).
func (l *log) toolResult(e *entry, v *fastjson.Value) {
	c := l.content(v.Get("content"), "toolResult")
	l.say(e, &tables.Message{Role: tables.RoleUser, Kind: tables.KindToolResult}, c)
	e.result = true
	id, name := readers.Text(v, "toolCallId"), readers.Text(v, "toolName")
	made := l.calls[id]
	r := &result{ToolResult: tables.ToolResult{ToolUseID: id, Output: c.text(), Status: tables.StatusOK, Timestamp: e.at}}
	if made != nil {
		r.ToolUseID, name = made.ToolUseID, made.ToolName
		made.result = r
	} else if id != "" {
		l.early[id] = r
	}
	failed := readers.Bool(v, "isError")
	r.DurationMS = readers.Count(v, "durationMs")
	var refusal *tables.Rejection
	switch {
	case failed && made.neverRan(v):
		refusal = r.blocked(name)
	case failed:
		r.fail(name, v.Get("details"))
		refusal = l.refusal(name, r, made != nil && made.timed && r.DurationMS.OK)
	}
	if dismissed(name, r.Output, v.Get("details"), failed) {
		r.closed = true
		refusal = r.refused(said{tables.ByUser, tables.StatusRejected})
	}
	if !failed {
		r.Answers = answersOf(name, v.Get("details"))
	}
	l.in.Emit(&r.ToolResult)
	switch {
	case refusal != nil:
		l.in.Emit(refusal)
		l.in.Emit(&tables.Decision{ToolUseID: r.ToolUseID, Confidence: decidedByWording})
	case r.ErrorType == tables.ErrorTimeout:
		l.timeout(e, r)
	}
	l.nested(e, r.ToolUseID, v)
	l.spent(e, v.Get("usage"))
}

// The tails of pi's bash, after a command's output. outlived is the tail of a command
// that had ended, while processes that it started went on (1.5.1).
var (
	exited   = pattern.Lazy(`(?:^|\n)Command exited with code (-?\d+)$`)
	timedOut = pattern.Lazy(`(?:^|\n)Command timed out after [\d.]+ seconds$`)
	outlived = pattern.Lazy(`(?:^|\n)Command timed out after [\d.]+ seconds\. The shell exited with code -?\d+ after [\d.]+ seconds, but background processes it started kept writing output until the timeout\.$`)
	stopWord = pattern.Lazy(`(?i)\b(aborted|cancelled|canceled|interrupted)\b`)
)

const (
	commandAborted   = "Command aborted"
	operationAborted = "Operation aborted"
	skipped          = "Skipped due to queued user message." // to 0.58 at least
)

// fail determines how a call failed.
func (r *result) fail(tool string, details *fastjson.Value) {
	r.Status, r.ErrorType = tables.StatusError, tables.ErrorOther
	text := strings.TrimRight(r.Output, "\n")
	code := exited.FindStringSubmatch(text)
	switch {
	case details.GetBool("__synthetic") && readers.Text(details, "source") == "interrupt_skipped", text == skipped:
		r.Status, r.ErrorType = tables.StatusSkipped, ""
	case details.GetBool("__interrupted"):
		r.cut(text)
	case shells[tool] && code != nil:
		r.ErrorType = tables.ErrorExitCode
		r.ExitCode = readers.ExitCode(code[1], 64)
	case shells[tool] && (timedOut.MatchString(text) || outlived.MatchString(text)):
		r.ErrorType = tables.ErrorTimeout
	case shells[tool] && strings.HasSuffix(text, commandAborted):
		r.cut(strings.TrimRight(strings.TrimSuffix(text, commandAborted), "\n"))
	case builtIn[tool] && text == operationAborted:
		r.cut("")
	case shells[tool]:
		r.saysCut, r.printed = true, text // oh-my-pi gives no tail; cut only if the user stopped the turn right after
	case !builtIn[tool] && stopWord.MatchString(text):
		r.saysCut = true // likewise
	case strings.HasPrefix(text, "Validation failed for tool "), strings.HasPrefix(text, "Tool ") && strings.HasSuffix(text, " not found"):
		r.ErrorType = tables.ErrorInvalidCall
	case strings.HasPrefix(text, "ENOENT"), strings.HasPrefix(text, "File not found"), strings.HasPrefix(text, "Path ") && strings.Contains(text, "not found"):
		r.ErrorType = tables.ErrorNotFound
	}
}

func (r *result) cut(printed string) {
	r.Status, r.ErrorType, r.saysCut, r.printed = tables.StatusInterrupted, "", true, printed
}

// timeout emits a stop by a command's time limit.
func (l *log) timeout(e *entry, r *result) {
	i := &tables.Interruption{
		Type: tables.InterruptedBySystem, Phase: tables.PhaseTool, ToolUseID: r.ToolUseID,
		Marker:   r.Output[strings.LastIndex(strings.TrimRight(r.Output, "\n"), "\n")+1:],
		Evidence: tables.EvidenceRecorded, Confidence: 1, Timestamp: e.at,
	}
	if outlived.MatchString(i.Marker) { // only read in pi's source
		i.Evidence, i.Confidence = tables.EvidenceWording, readOnly
	}
	if e.turn != nil {
		i.CutUUID = e.turn.at.uuid
	}
	l.in.Emit(i)
}

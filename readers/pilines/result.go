package pilines

import (
	"strconv"
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/internal/pattern"
	"hindsql/readers"
	"hindsql/tables"
)

// result is the end of a call.
type result struct {
	tables.ToolResult
	mayBeCut bool             // the words say that the call was cut, or may have been
	closed   bool             // the user closed the call's question
	printed  string           // output before the words of a cut
	decision *tables.Decision // about an OpenClaw command that waits for an approval
}

// newResult emits the message of a call's end, and returns the call's result and tool.
// made is nil if the call is unknown so far.
func (l *log) newResult(e *entry, v *fastjson.Value) (r *result, made *call, tool string) {
	c := l.content(v.Get("content"), "toolResult")
	l.emitMessage(e, &tables.Message{Role: tables.RoleUser, Kind: tables.KindToolResult}, c)
	id, tool := readers.Text(v, "toolCallId"), readers.Text(v, "toolName")
	r = &result{ToolResult: tables.ToolResult{ToolUseID: id, Output: c.text(), Status: tables.StatusOK, Timestamp: e.at}}
	if made = l.calls[id]; made != nil {
		r.ToolUseID, tool = made.ToolUseID, made.ToolName
		made.result = r
	} else if id != "" {
		l.early[id] = r
	}
	return r, made, tool
}

// toolResult handles the end of a call (readers/pi/FORMAT.md §4.1).
func (l *log) toolResult(e *entry, v *fastjson.Value) {
	r, made, name := l.newResult(e, v)
	e.isResult = true
	failed := readers.Bool(v, "isError")
	r.DurationMS = readers.Count(v, "durationMs")
	var refusal *tables.Rejection
	switch {
	case failed && made.neverRan(v):
		refusal = r.markBlocked(name)
	case failed:
		r.setError(name, v.Get("details"))
		refusal = l.inferRefusal(name, r, made != nil && made.hasDurations && r.DurationMS.OK)
	}
	if isDismissed(name, r.Output, v.Get("details"), failed) {
		r.closed = true
		refusal = r.markRefused(verdict{tables.ByUser, tables.StatusRejected})
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
		l.emitTimeout(e, r)
	}
	l.emitNestedCalls(e, r.ToolUseID, v)
	l.emitUsage(e, v.Get("usage"))
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

// setError determines how a call failed.
func (r *result) setError(tool string, details *fastjson.Value) {
	r.Status, r.ErrorType = tables.StatusError, tables.ErrorOther
	text := strings.TrimRight(r.Output, "\n")
	code := exited.FindStringSubmatch(text)
	switch {
	case details.GetBool("__synthetic") && readers.Text(details, "source") == "interrupt_skipped", text == skipped:
		r.Status, r.ErrorType = tables.StatusSkipped, ""
	case details.GetBool("__interrupted"):
		r.markInterrupted(text)
	case shells[tool] && code != nil:
		r.ErrorType = tables.ErrorExitCode
		r.ExitCode = readers.ExitCode(code[1], 64)
	case shells[tool] && (timedOut.MatchString(text) || outlived.MatchString(text)):
		r.ErrorType = tables.ErrorTimeout
	case shells[tool] && strings.HasSuffix(text, commandAborted):
		r.markInterrupted(strings.TrimRight(strings.TrimSuffix(text, commandAborted), "\n"))
	case piTools[tool] && text == operationAborted:
		r.markInterrupted("")
	case shells[tool]:
		r.mayBeCut, r.printed = true, text // oh-my-pi gives no tail; cut only if the user stopped the turn right after
	case !piTools[tool] && stopWord.MatchString(text):
		r.mayBeCut = true // likewise
	case strings.HasPrefix(text, "Validation failed for tool "), strings.HasPrefix(text, "Tool ") && strings.HasSuffix(text, " not found"):
		r.ErrorType = tables.ErrorInvalidCall
	case strings.HasPrefix(text, "ENOENT"), strings.HasPrefix(text, "File not found"), strings.HasPrefix(text, "Path ") && strings.Contains(text, "not found"):
		r.ErrorType = tables.ErrorNotFound
	}
}

func (r *result) markInterrupted(printed string) {
	r.Status, r.ErrorType, r.mayBeCut, r.printed = tables.StatusInterrupted, "", true, printed
}

// emitTimeout emits a stop by a command's time limit.
func (l *log) emitTimeout(e *entry, r *result) {
	i := &tables.Interruption{
		Type: tables.InterruptedBySystem, Phase: tables.PhaseTool, ToolUseID: r.ToolUseID,
		Marker:   r.Output[strings.LastIndex(strings.TrimRight(r.Output, "\n"), "\n")+1:],
		Evidence: tables.EvidenceRecorded, Confidence: 1, Timestamp: e.at,
	}
	if outlived.MatchString(i.Marker) { // only read in pi's source
		i.Evidence, i.Confidence = tables.EvidenceWording, onlyInSource
	}
	if e.turn != nil {
		i.CutUUID = e.turn.at.uuid
	}
	l.in.Emit(i)
}

// noResponse is what questionnaire writes for an answer left empty.
const noResponse = "(no response)"

// answersOf returns the questions of a call with what the person answered, from the
// details of its result (readers/pi/FORMAT.md §4.5). It returns nil if the details have
// no answer: the tool is no question's, or the person closed the question.
func answersOf(tool string, details *fastjson.Value) []tables.Answer {
	if toolKind(tool) != tables.ToolQuestion || details.GetBool("cancelled") {
		return nil
	}
	if asked := details.GetArray("questions"); asked != nil {
		return questionnaire(asked, details.GetArray("answers"))
	}
	results := details.GetArray("results")
	if results == nil {
		results = []*fastjson.Value{details} // a single question
	}
	answered := false
	var list []tables.Answer
	for _, r := range results {
		a := tables.Answer{Question: readers.Text(r, "question"), Options: textsOf(r.GetArray("options"))}
		var texts []string
		if !r.GetBool("timedOut") { // after its time limit, ask picks by itself
			texts = append(textsOf(r.GetArray("selectedOptions")),
				readers.Text(r, "answer"), readers.Text(r, "customInput"), readers.Text(r, "note"))
		}
		a.SetAnswer(texts...)
		answered = answered || a.IsAnswered()
		list = append(list, a)
	}
	if !answered {
		return nil
	}
	return list
}

// questionnaire pairs the questions of the extension questionnaire with the answers, by
// the question's id.
func questionnaire(asked, answers []*fastjson.Value) []tables.Answer {
	list := readers.Answers(asked, func(_ int, q *fastjson.Value, _ []string) (texts []string) {
		for _, a := range answers {
			label := readers.Text(a, "label")
			if readers.Text(a, "id") == readers.Text(q, "id") && !(a.GetBool("wasCustom") && label == noResponse) {
				texts = append(texts, label)
			}
		}
		return texts
	})
	for i := range list {
		list[i].Question = readers.Text(asked[i], "prompt")
	}
	return list
}

func textsOf(values []*fastjson.Value) []string {
	return append([]string{}, readers.Texts(values)...)
}

// emitNestedCalls handles the calls that a script, or an extension's tool, made while it
// ran. The result of the script lists them (readers/pi/FORMAT.md §4.4). outer is the id
// of the script's call in the rows.
func (l *log) emitNestedCalls(e *entry, outer string, v *fastjson.Value) {
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
		c := newCall(id, l.words.Intern(n.GetStringBytes("name")), n.Get("arguments"))
		c.ParentToolUseID, c.Line = parent, e.line
		if size := readers.Int(n, "argumentsBytes"); size.OK { // pi leaves out long arguments
			c.Extra = readers.Object(map[string]any{"arguments_bytes": size.Value})
		}
		l.calls[id] = c
		l.in.Emit(&c.ToolCall)
		l.emitNestedResult(e, c, n)
	}
}

// emitNestedResult handles the end of a script's call. The log has no output, and no time
// except the duration. A refused call has a duration, too: the wait for the user. So
// only pi's own sentence, as the whole error of pi's own tool, tells a refusal.
func (l *log) emitNestedResult(e *entry, c *call, v *fastjson.Value) {
	r := &result{ToolResult: tables.ToolResult{
		ToolUseID: c.ToolUseID, Output: readers.Text(v, "error"), Status: tables.StatusOK,
		DurationMS: readers.Count(v, "durationMs"), DurationUnknown: true, Timestamp: e.at,
	}}
	c.result = r
	var refusal *tables.Rejection
	switch status := readers.Text(v, "status"); status {
	case "ok":
	case "error":
		r.setError(c.ToolName, nil)
		if refusal = l.inferRefusal(c.ToolName, r, false); refusal == nil && r.ErrorType == tables.ErrorOther && hasBlockedSentence(r.Output) {
			r.Extra = claimedDenial
		}
	case "unfinished": // the user stopped the script, or the script ended first
		r.markInterrupted("")
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

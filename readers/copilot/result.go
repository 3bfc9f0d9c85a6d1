package copilot

import (
	"cmp"
	"math"
	"strconv"
	"strings"

	"hindsql/internal/fastjson"
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
	r.Status, r.ErrorType, r.ExitCode = c.outcome(e, r.Output)
	r.Answers = c.answers
	switch {
	case r.Status == tables.StatusInterrupted:
		r.DurationUnknown = true
	case !c.grantedAt.IsZero(): // the call ran from then on
		r.DurationMS = readers.MillisBetween(c.grantedAt, e.at)
	default:
		r.DurationMS = readers.MillisBetween(c.started, e.at)
	}
	if r.Status != tables.StatusInterrupted {
		l.setModelByResult(c.thread, e)
	}
	extra := readers.Extra{}
	extra.JSON("error_code", e.Get("error", "code"))
	extra.Images(imagesOf(e))
	r.Extra = readers.Object(extra)
	refusal := c.inferRefusal(e, r.Output)
	if refusal != nil {
		r.Status, r.ErrorType, r.DurationMS = refusedStatus(refusal), "", tables.Maybe[int64]{}
		r.DurationUnknown = true
	}
	l.emitMessage(c.thread, e.message(tables.RoleUser, tables.KindToolResult, ""))
	c.result = r
	l.emit(c.thread, r)
	if refusal != nil {
		l.emitRefusal(c, refusal)
	} else if c.ToolKind == tables.ToolPlan || c.ToolKind == tables.ToolQuestion {
		l.inferApproval(c, e)
	}
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
		images = append(images, readers.ImageOf(validUTF8(readers.Text(v, "mimeType")), v.GetStringBytes("data")))
	}
	return images
}

// interrupted is the error code of a call that was open when the program was killed.
// The next process writes it, in the name of the model "resumed" (FORMAT.md §3.4).
const interrupted = "interrupted"

// outcome returns how a call ended that was allowed to run. A command that ran and failed
// is recorded as a success of the tool, so its exit code decides.
func (c *call) outcome(e *event, output string) (status, errorType string, exit tables.Maybe[int64]) {
	if c.ToolKind == tables.ToolCommand {
		exit = exitCode(e, output)
	}
	code := readers.Text(e.Value, "error", "code")
	switch {
	case code == interrupted:
		return tables.StatusInterrupted, "", exit
	case exit.OK && exit.Value != 0:
		return tables.StatusError, tables.ErrorExitCode, exit
	case !e.GetBool("success"):
		return tables.StatusError, errorTypeOf(code, output), exit
	}
	return tables.StatusOK, "", exit
}

// exitLine matches the last line of an ended command's output, in versions without a
// recorded exit code: three wordings, the newest first.
var exitLine = pattern.Lazy(`<(?:shellId: [^<>\n]* completed|command with id: [^<>\n]* exited|exited) with exit code (-?\d+)>\s*$`)

func exitCode(e *event, output string) tables.Maybe[int64] {
	if n := cmp.Or(readers.Int(e.Value, "shellExecution", "exitCode"), readers.Int(e.Value, "toolTelemetry", "metrics", "exit_code")); n.OK {
		return n
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
	l.emitMessage(l.thread(e), m)
}

// typedEnded handles the output of a command that the user typed.
func (l *log) typedEnded(e *event) {
	m := e.message(tables.RoleUser, tables.KindCommandOutput, outputOf(e))
	extra := readers.Extra{}
	extra.Int("exit_code", exitCode(e, m.Text))
	m.Extra = readers.Object(extra)
	l.emitMessage(l.thread(e), m)
}

// formAnswers returns the fields of a form with what the person filled in (FORMAT.md
// §4): content has the values by the names in the call's requestedSchema. It returns nil
// if nothing is filled in.
func (c *call) formAnswers(content *fastjson.Value) []tables.Answer {
	input, err := fastjson.Parse(c.Input)
	if err != nil || c.ToolKind != tables.ToolQuestion {
		return nil
	}
	fields := input.GetObject("requestedSchema", "properties")
	if fields == nil {
		return nil
	}
	var list []tables.Answer
	answered := false
	fields.Visit(func(key []byte, field *fastjson.Value) {
		a := tables.Answer{Question: readers.Text(input, "message"), Options: choices(field)}
		if fields.Len() > 1 {
			a.Question = strings.TrimPrefix(a.Question+"\n"+cmp.Or(readers.Text(field, "title"), string(key)), "\n")
		}
		a.SetAnswer(valuesOf(content.Get(string(key)))...)
		answered = answered || a.IsAnswered()
		list = append(list, a)
	})
	if !answered {
		return nil
	}
	return list
}

// choices returns the values that a field of a form offers.
func choices(field *fastjson.Value) []string {
	list := []string{}
	for _, of := range []*fastjson.Value{field, field.Get("items")} {
		for _, v := range of.GetArray("enum") {
			list = append(list, valuesOf(v)...)
		}
		for _, kind := range []string{"oneOf", "anyOf"} {
			for _, v := range of.GetArray(kind) {
				list = append(list, valuesOf(v.Get("const"))...)
			}
		}
	}
	return list
}

// valuesOf returns a value of a form as texts: one, or those of a list.
func valuesOf(v *fastjson.Value) (texts []string) {
	switch {
	case v == nil, v.Type() == fastjson.TypeNull:
	case v.Type() == fastjson.TypeArray:
		for _, e := range v.GetArray() {
			texts = append(texts, valuesOf(e)...)
		}
	case v.Type() == fastjson.TypeString:
		texts = []string{readers.Text(v)}
	default:
		texts = []string{readers.JSON(v)}
	}
	return texts
}

// respondedWords stand before the answer in the result of ask_user, and absentWords in
// place of an answer if the program works alone (FORMAT.md §4).
const (
	respondedWords = "User responded: "
	absentWords    = "The user is not available to respond"
)

// answersFromText returns the answer from a result's sentence, for versions that record
// no response.
func (c *call) answersFromText() []tables.Answer {
	answer, ok := strings.CutPrefix(c.result.Output, respondedWords)
	input, err := fastjson.Parse(c.Input)
	if !ok || err != nil || c.ToolKind != tables.ToolQuestion {
		return nil
	}
	a := tables.Answer{Question: cmp.Or(readers.Text(input, "message"), readers.Text(input, "question")), Options: []string{}}
	a.Options = append(a.Options, readers.Texts(input.GetArray("choices"))...)
	if fields := input.GetObject("requestedSchema", "properties"); fields != nil && fields.Len() == 1 {
		fields.Visit(func(key []byte, field *fastjson.Value) {
			a.Options, answer = choices(field), strings.TrimPrefix(answer, string(key)+"=")
		})
	}
	if a.SetAnswer(answer); !a.IsAnswered() {
		return nil
	}
	return []tables.Answer{a}
}

package codex

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/internal/pattern"
	"hindsql/readers"
	"hindsql/tables"
)

// framedOutput is a call's output, split into the frame and the tool's own text. The
// frame is the lines that Codex writes before a tool's output, for example "Exit code:
// 0" and "Output:" (FORMAT.md §5).
type framedOutput struct {
	text     string
	hasFrame bool
	body     bool // the frame was read to its end: a tool wrote the text
	code     tables.Maybe[int64]
	duration tables.Maybe[int64] // milliseconds
	script   string              // state of a code-mode script: completed, failed …
	cell     string              // name of a script that still runs after this output
	extra    readers.Extra
}

// unframe splits an output into frame and text. If a line of the frame isn't
// understood, it and the rest of the frame stay in the text.
func unframe(parser *fastjson.Parser, text string) framedOutput {
	if strings.HasPrefix(text, `{"output":`) {
		if f, ok := unframeJSON(parser, text); ok {
			return f
		}
	}
	f := framedOutput{text: text, extra: readers.Extra{}}
	f.unframeLines()
	return f
}

// unframeLines removes the frame's lines from the start of the text.
func (f *framedOutput) unframeLines() {
	for {
		line, rest, more := strings.Cut(f.text, "\n")
		if f.hasFrame && line == "Output:" {
			f.text, f.body = rest, true
			return
		}
		if !f.addHeadLine(line) {
			return
		}
		f.hasFrame = true
		f.text = rest
		if !more {
			return
		}
	}
}

func unframeJSON(parser *fastjson.Parser, text string) (framedOutput, bool) {
	v, err := parser.Parse(text)
	if err != nil || v.Get("metadata") == nil || v.Get("output").Type() != fastjson.TypeString {
		return framedOutput{}, false
	}
	f := framedOutput{text: readers.Text(v, "output"), hasFrame: true, body: true, extra: readers.Extra{}}
	f.code = readers.Count(v, "metadata", "exit_code")
	if d := v.Get("metadata", "duration_seconds"); d != nil && d.Type() == fastjson.TypeNumber {
		f.duration = milliseconds(d.GetFloat64())
	}
	return f, true
}

func milliseconds(seconds float64) tables.Maybe[int64] { return readers.CountOf(seconds, 1000) }

// headLetters holds the first letters of a frame's lines.
const headLetters = "EPWOTCS"

var headLines = []struct {
	line *pattern.Pattern
	set  func(f *framedOutput, value string)
}{
	{pattern.Lazy(`^Exit code: (-?\d+)$`), func(f *framedOutput, v string) { f.code = number(v) }},
	{pattern.Lazy(`^Process exited with code (-?\d+)$`), func(f *framedOutput, v string) { f.code = number(v) }},
	{pattern.Lazy(`^Wall time:? ([\d.]+) seconds$`), func(f *framedOutput, v string) { f.duration = seconds(v) }},
	{pattern.Lazy(`^Process running with session ID (\S+)$`), func(f *framedOutput, v string) { f.extra.Set("running_session", v) }},
	{pattern.Lazy(`^Original token count: (\d+)$`), func(f *framedOutput, v string) { f.extra.Set("original_token_count", number(v).Value) }},
	{pattern.Lazy(`^Total output lines: (\d+)$`), func(f *framedOutput, v string) { f.extra.Set("total_output_lines", number(v).Value) }},
	{pattern.Lazy(`^Chunk ID: (\S+)$`), func(*framedOutput, string) {}},
	{pattern.Lazy(`^Command: (.*)$`), func(*framedOutput, string) {}},
	{pattern.Lazy(`^Script running with cell ID (\S+)$`), func(f *framedOutput, v string) { f.script, f.cell = "running", v }},
	{pattern.Lazy(`^Script (completed|failed|running|terminated)\b.*$`), func(f *framedOutput, v string) { f.script = v }},
}

// addHeadLine adds one line of a frame. It returns false if the line isn't one of a frame's
// known lines.
func (f *framedOutput) addHeadLine(line string) bool {
	if line == "" || len(line) > 4096 || !strings.Contains(headLetters, line[:1]) {
		return false
	}
	for _, h := range headLines {
		if m := h.line.FindStringSubmatch(line); m != nil {
			h.set(f, m[1])
			return true
		}
	}
	return false
}

func number(s string) tables.Maybe[int64] {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		n = tables.NotACount
	}
	return tables.Some(n)
}

func seconds(s string) tables.Maybe[int64] {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return tables.Maybe[int64]{}
	}
	return milliseconds(f)
}

// failureTexts lists the beginnings of outputs that report a failure in place of a
// command's own output (FORMAT.md §5).
var failureTexts = []struct{ start, errorType string }{
	{"apply_patch verification failed", tables.ErrorInvalidCall},
	{"apply_patch handler received", tables.ErrorInvalidCall},
	{"unsupported call", tables.ErrorInvalidCall},
	{"unsupported custom tool call", tables.ErrorInvalidCall},
	{"failed to parse function arguments", tables.ErrorInvalidCall},
	{"failed in sandbox", tables.ErrorSandbox},
	{"execution error: Io(Os { code: 2,", tables.ErrorNotFound},
	{"execution error: ", tables.ErrorOther},
	{"exec_command failed", tables.ErrorOther},
	{"write_stdin failed", tables.ErrorOther},
	{"err: ", tables.ErrorOther},
	{"Script error:", tables.ErrorOther},
}

// sandboxDenied matches the error of a command that the sandbox stopped while running.
var sandboxDenied = pattern.Lazy("(?s)^exec_command failed(?: for `.*?`)?: (?:SandboxDenied|CreateProcess \\{ message: \"Codex\\(Sandbox\\(Denied)")

var sandboxCode = pattern.Lazy(`^failed in sandbox \w+ with execution error: sandbox denied exec error, exit code: (-?\d+)`)

const timeoutCode = 124 // of the JSON frame

// failureType reports whether a call failed without a refusal, and why.
func (f *framedOutput) failureType(kind string) (errorType string, failed bool) {
	if m := sandboxCode.FindStringSubmatch(f.text); m != nil {
		f.code = number(m[1])
	}
	runs := kind == tables.ToolCommand || kind == tables.ToolEdit || kind == tables.ToolScript
	switch {
	case f.code.OK && f.code.Value == timeoutCode && commandTimeout.MatchString(f.text):
		return tables.ErrorTimeout, true
	case f.code.OK && f.code.Value != 0 && f.body:
		return tables.ErrorExitCode, true
	case f.script == "failed":
		if reason, ok := afterLast(f.text, scriptError); ok && sandboxDenied.MatchString(reason) {
			return tables.ErrorSandbox, true
		}
		return tables.ErrorOther, true
	case f.body:
		return "", false // a tool wrote the rest
	case sandboxDenied.MatchString(f.text):
		return tables.ErrorSandbox, true
	case runs && commandTimeout.MatchString(f.text):
		return tables.ErrorTimeout, true
	case strings.HasPrefix(f.text, "err: ") && mcpTimeout.MatchString(f.text):
		return tables.ErrorTimeout, true
	}
	for _, c := range failureTexts {
		if strings.HasPrefix(f.text, c.start) {
			return c.errorType, true
		}
	}
	if f.code.OK && f.code.Value != 0 {
		return tables.ErrorExitCode, true
	}
	if !f.hasFrame && runs && !strings.HasPrefix(f.text, "Success") {
		return tables.ErrorOther, true // a command that ran has a frame
	}
	return "", false
}

// afterLast returns the text after the last sep.
func afterLast(s, sep string) (string, bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return "", false
	}
	return s[i+len(sep):], true
}

// isAborted reports whether the output is what Codex writes for a call when the user
// stops the turn, while the call ran or waited for an answer. If a tool wrote the same
// words, they stand behind a frame.
func (f *framedOutput) isAborted() bool { return !f.body && !f.code.OK && isAbort(f.text) }

// waitedOrRan returns how long a stopped call had run or waited for an answer; for other
// calls, the duration in the frame.
func (f *framedOutput) waitedOrRan() tables.Maybe[int64] {
	if m := abortedAfter.FindStringSubmatch(strings.TrimSpace(f.text)); m != nil {
		return seconds(m[1])
	}
	return f.duration
}

func (f *framedOutput) hasWaitedLong() bool {
	d := f.waitedOrRan()
	return d.OK && d.Value >= (10*time.Second).Milliseconds()
}

// noneOfThem is the label that Codex offers besides a question's own.
const noneOfThem = "None of the above"

// notePrefix stands before a person's words in the list of a question's answers.
const notePrefix = "user_note: "

// questionAnswers returns the questions of request_user_input with what the person answered
// (FORMAT.md §5.1). The output is an object with the answers by the question's id. It
// returns nil if the output is none: the tool was refused, cancelled or unavailable.
func questionAnswers(info *call, output string) []tables.Answer {
	if info.ToolKind != tables.ToolQuestion {
		return nil
	}
	questions, given, ok := readers.ParseAnswers(info.Input, output)
	if !ok {
		return nil
	}
	list := readers.Answers(questions, func(_ int, q *fastjson.Value, _ []string) (texts []string) {
		for _, a := range given.GetArray(readers.Text(q, "id"), "answers") {
			texts = append(texts, strings.TrimPrefix(readers.Text(a), notePrefix))
		}
		return texts
	})
	for i := range list {
		if a := &list[i]; a.Words == noneOfThem || strings.HasPrefix(a.Words, noneOfThem+"\n") {
			a.Picked = append(a.Picked, noneOfThem)
			a.Words = strings.TrimPrefix(strings.TrimPrefix(a.Words, noneOfThem), "\n")
		}
	}
	return slices.Clip(list)
}

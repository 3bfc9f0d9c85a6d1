package codex

import (
	"strconv"
	"strings"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/internal/pattern"
	"hindsql/readers"
	"hindsql/tables"
)

// framed is a call's output, split into the frame and the tool's own text. The frame is
// the lines that Codex writes before a tool's output, for example "Exit code: 0" and
// "Output:" (FORMAT.md §5).
type framed struct {
	text     string
	framed   bool
	body     bool // the frame was read to its end: a tool wrote the text
	code     tables.Maybe[int64]
	duration tables.Maybe[int64] // milliseconds
	script   string              // state of a code-mode script: completed, failed …
	cell     string              // name of a script that still runs after this output
	extra    readers.Extra
}

// unframe splits an output into frame and text. If a line of the frame isn't
// understood, it and the rest of the frame stay in the text.
func unframe(parser *fastjson.Parser, text string) framed {
	if strings.HasPrefix(text, `{"output":`) {
		if f, ok := unframeJSON(parser, text); ok {
			return f
		}
	}
	f := framed{text: text, extra: readers.Extra{}}
	f.unframeLines()
	return f
}

// unframeLines removes the frame's lines from the start of the text.
func (f *framed) unframeLines() {
	for {
		line, rest, more := strings.Cut(f.text, "\n")
		if f.framed && line == "Output:" {
			f.text, f.body = rest, true
			return
		}
		if !f.head(line) {
			return
		}
		f.framed = true
		f.text = rest
		if !more {
			return
		}
	}
}

func unframeJSON(parser *fastjson.Parser, text string) (framed, bool) {
	v, err := parser.Parse(text)
	if err != nil || v.Get("metadata") == nil || v.Get("output").Type() != fastjson.TypeString {
		return framed{}, false
	}
	f := framed{text: readers.Text(v, "output"), framed: true, body: true, extra: readers.Extra{}}
	f.code = readers.Count(v, "metadata", "exit_code")
	if d := v.Get("metadata", "duration_seconds"); d != nil && d.Type() == fastjson.TypeNumber {
		f.duration = milliseconds(d.GetFloat64())
	}
	return f, true
}

func milliseconds(seconds float64) tables.Maybe[int64] { return readers.CountOf(seconds, 1000) }

// headLetters holds the first letters of a frame's lines.
const headLetters = "EPWOTCS"

var heads = []struct {
	line *pattern.Pattern
	take func(f *framed, value string)
}{
	{pattern.Lazy(`^Exit code: (-?\d+)$`), func(f *framed, v string) { f.code = number(v) }},
	{pattern.Lazy(`^Process exited with code (-?\d+)$`), func(f *framed, v string) { f.code = number(v) }},
	{pattern.Lazy(`^Wall time:? ([\d.]+) seconds$`), func(f *framed, v string) { f.duration = seconds(v) }},
	{pattern.Lazy(`^Process running with session ID (\S+)$`), func(f *framed, v string) { f.extra.Set("running_session", v) }},
	{pattern.Lazy(`^Original token count: (\d+)$`), func(f *framed, v string) { f.extra.Set("original_token_count", number(v).Value) }},
	{pattern.Lazy(`^Total output lines: (\d+)$`), func(f *framed, v string) { f.extra.Set("total_output_lines", number(v).Value) }},
	{pattern.Lazy(`^Chunk ID: (\S+)$`), func(*framed, string) {}},
	{pattern.Lazy(`^Command: (.*)$`), func(*framed, string) {}},
	{pattern.Lazy(`^Script running with cell ID (\S+)$`), func(f *framed, v string) { f.script, f.cell = "running", v }},
	{pattern.Lazy(`^Script (completed|failed|running|terminated)\b.*$`), func(f *framed, v string) { f.script = v }},
}

// head takes one line of a frame. It returns false if the line isn't one of a frame's
// known lines.
func (f *framed) head(line string) bool {
	if line == "" || len(line) > 4096 || !strings.Contains(headLetters, line[:1]) {
		return false
	}
	for _, h := range heads {
		if m := h.line.FindStringSubmatch(line); m != nil {
			h.take(f, m[1])
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

// failures lists the beginnings of outputs that report a failure in place of a
// command's own output (FORMAT.md §5).
var failures = []struct{ start, errorType string }{
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

// failure reports whether a call failed without a refusal, and why.
func (f *framed) failure(kind string) (errorType string, failed bool) {
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
	for _, c := range failures {
		if strings.HasPrefix(f.text, c.start) {
			return c.errorType, true
		}
	}
	if f.code.OK && f.code.Value != 0 {
		return tables.ErrorExitCode, true
	}
	if !f.framed && runs && !strings.HasPrefix(f.text, "Success") {
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

// aborted reports whether the output is what Codex writes for a call when the user
// stops the turn, while the call ran or waited for an answer. If a tool wrote the same
// words, they stand behind a frame.
func (f *framed) aborted() bool { return !f.body && !f.code.OK && isAbort(f.text) }

// waited returns how long a stopped call had run or waited for an answer; for other
// calls, the duration in the frame.
func (f *framed) waited() tables.Maybe[int64] {
	if m := abortedAfter.FindStringSubmatch(strings.TrimSpace(f.text)); m != nil {
		return seconds(m[1])
	}
	return f.duration
}

func (f *framed) waitedLong() bool {
	d := f.waited()
	return d.OK && d.Value >= (10*time.Second).Milliseconds()
}

package codex

import (
	"strings"

	"github.com/valyala/fastjson"

	"hindsql/readers"
	"hindsql/tables"
)

// unrecorded makes the calls of the commands in a file that has no items of
// them: its text says which they were, and, where it passes as many results on
// as it has commands, how each ended. Else they ended as the script did.
func (t *rollout) unrecorded(r *record, s *script, f *framed) {
	results := []commandResult(nil)
	if !t.ordered {
		results = commandResults(&t.parser, s.parts)
	}
	tied := len(results) == len(s.commands)
	if t.ordered || f.script == "failed" && !tied {
		return // items tell of them, or which of them ran isn't known
	}
	for i, c := range s.commands {
		if c.taken {
			continue
		}
		info := t.makeUp(s, c, t.commandCall(s, c))
		if c.asks {
			t.give(info, t.answerWithin(s, r.at, (*answer).grants))
		}
		switch {
		case tied:
			t.endTied(r, info, results[i])
		case f.script == "completed":
			t.endChild(r, info, tables.StatusOK, "")
		}
	}
}

// endTied gives a call that no item tells of the result that its script passed on.
func (t *rollout) endTied(r *record, info *call, result commandResult) {
	e := &ended{code: result.code, duration: result.duration, output: result.output}
	o := e.outcome()
	info.result = &tables.ToolResult{
		ToolUseID: info.ToolUseID, Output: e.output, Status: o.status, ErrorType: o.errorType,
		ExitCode: e.code, DurationMS: e.duration, Timestamp: r.at,
	}
	t.emit(info.result)
	if o.timeout != "" {
		t.timedOut(r, info, o.timeout, "")
	}
}

// withoutHead leaves out the frame that the program puts before what a script
// gave: a part of its own, or the beginning of a text.
func withoutHead(parts []string) []string {
	if len(parts) == 0 || !strings.HasPrefix(parts[0], "Script ") {
		return parts
	}
	f := framed{text: parts[0], extra: map[string]any{}}
	f.unframeLines()
	if f.text == "" {
		return parts[1:]
	}
	return append([]string{f.text}, parts[1:]...)
}

// commandResult is the answer that a command gave to a script, which passed it
// on whole.
type commandResult struct {
	code     tables.Maybe[int64]
	duration tables.Maybe[int64]
	output   string
}

func commandResults(parser *fastjson.Parser, parts []string) []commandResult {
	var found []commandResult
	for _, part := range parts {
		part = shortened.ReplaceAllString(part, "")
		if !strings.HasPrefix(part, "{") && !strings.HasPrefix(part, "[") {
			found = appendFramed(found, part)
		} else if v, err := parser.Parse(part); err == nil {
			found = appendResults(found, v, 0)
		} else if m := cutResult.FindStringSubmatch(part); m != nil {
			found = append(found, commandResult{code: number(m[2]), duration: seconds(m[1]), output: part[len(m[0]):]})
		}
	}
	return found
}

// shortened is what the program puts before a text of which it left out the middle.
var shortened = readers.Lazy(`^(?:Warning: truncated output[^\n]*\n)?Total output lines: \d+\n\n`)

// cutResult is how a result begins of which the middle was left out, so that it
// is no JSON any more.
var cutResult = readers.Lazy(`^\{"chunk_id":"[^"]*","wall_time_seconds":([\d.]+),"exit_code":(-?\d+),(?:"original_token_count":\d+,)?"output":"`)

// resultFrame is how a result begins that is a text (FORMAT.md §5).
var resultFrame = readers.Lazy(`^(?:Exit code: -?\d+\n|Chunk ID: )`)

// appendFramed takes a result that has a frame round its output.
func appendFramed(found []commandResult, text string) []commandResult {
	if !resultFrame.MatchString(text[:min(len(text), 64)]) {
		return found
	}
	f := framed{text: text, extra: map[string]any{}}
	if f.unframeLines(); !f.body {
		return found
	}
	return append(found, commandResult{f.code, f.duration, f.text})
}

func appendResults(found []commandResult, v *fastjson.Value, depth int) []commandResult {
	if v == nil || depth > 3 {
		return found
	}
	switch v.Type() {
	case fastjson.TypeString:
		return appendFramed(found, readers.Text(v))
	case fastjson.TypeArray:
		for _, e := range v.GetArray() {
			found = appendResults(found, e, depth+1)
		}
		return found
	case fastjson.TypeObject:
	default:
		return found
	}
	if v.Exists("chunk_id") && v.Exists("wall_time_seconds") && v.Exists("output") {
		r := commandResult{code: readers.Count(v, "exit_code"), output: readers.Text(v, "output")}
		if d := v.Get("wall_time_seconds"); d.Type() == fastjson.TypeNumber {
			r.duration = milliseconds(d.GetFloat64())
		}
		return append(found, r)
	}
	if readers.Text(v, "status") == "fulfilled" {
		return appendResults(found, v.Get("value"), depth+1)
	}
	return appendNamed(found, v, depth)
}

// appendNamed takes the results that a script put into an object of its own:
// one that holds anything else is something else.
func appendNamed(found []commandResult, v *fastjson.Value, depth int) []commandResult {
	all, only := found, true
	v.GetObject().Visit(func(_ []byte, e *fastjson.Value) {
		more := appendResults(all, e, depth+1)
		only, all = only && len(more) > len(all), more
	})
	if only {
		return all
	}
	return found
}

package codex

import (
	"slices"
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/internal/pattern"
	"hindsql/readers"
	"hindsql/tables"
)

// emitUnrecordedCalls makes calls for a script's commands that have no item, in a file
// without items. The script's text names the commands. If the script's output has as
// many results as the text has commands, each command gets its result. Otherwise the
// commands of a completed script count as successful, and a failed script gets no
// calls.
func (t *rollout) emitUnrecordedCalls(r *record, s *script, f *framedOutput) {
	if t.ordered || s.declined {
		return // items describe the commands, or an unknown one was refused
	}
	results := commandResults(&t.parser, s.parts)
	tied := len(results) == len(s.commands)
	if f.script == "failed" && !tied {
		return // the script's end doesn't say which commands ran
	}
	grants, asking := t.answersWithin(s, r.at, (*answer).isCommandGrant), s.findAsking(false)
	for i, c := range s.commands {
		if c.isMatched {
			continue
		}
		info := t.addUnrecordedCall(s, t.newCommandCall(s, c))
		if n := slices.Index(asking, c); n >= 0 && len(grants) == len(asking) {
			t.assignAnswer(info, grants[n])
		}
		switch {
		case tied:
			t.emitTiedResult(r, info, results[i])
		case f.script == "completed":
			t.emitChildResult(r, info, tables.StatusOK, "")
		}
	}
}

// emitTiedResult emits the result of a call that no item describes: the script passed the
// result on in its output.
func (t *rollout) emitTiedResult(r *record, info *call, e *callEnd) {
	o := e.outcome()
	info.result = &tables.ToolResult{
		ToolUseID: info.ToolUseID, Output: e.output, Status: o.status, ErrorType: o.errorType,
		ExitCode: e.code, DurationMS: e.duration, Timestamp: r.at,
	}
	t.emit(info.result)
	if o.timeout != "" {
		t.emitTimeout(r, info, o.timeout, "")
	}
}

// withoutHead removes the frame from a script's output. The frame is the whole first
// part, or the beginning of it.
func withoutHead(parts []string) []string {
	if len(parts) == 0 || !strings.HasPrefix(parts[0], "Script ") {
		return parts
	}
	f := framedOutput{text: parts[0], extra: readers.Extra{}}
	f.unframeLines()
	if f.text == "" {
		return parts[1:]
	}
	return append([]string{f.text}, parts[1:]...)
}

// commandResults returns the results of commands that the script passed on in its output.
func commandResults(parser *fastjson.Parser, parts []string) []*callEnd {
	var found []*callEnd
	for _, part := range parts {
		part = shortened.ReplaceAllString(part, "")
		if !strings.HasPrefix(part, "{") && !strings.HasPrefix(part, "[") {
			found = appendFramed(found, part)
		} else if v, err := parser.Parse(part); err == nil {
			found = appendResults(found, v, 0)
		} else if m := cutResult.FindStringSubmatch(part); m != nil {
			found = append(found, &callEnd{code: number(m[2]), duration: seconds(m[1]), output: part[len(m[0]):]})
		}
	}
	return found
}

// shortened matches the note that Codex writes before a text whose middle it left out.
var shortened = pattern.Lazy(`^(?:Warning: truncated output[^\n]*\n)?Total output lines: \d+\n\n`)

// cutResult matches the beginning of a JSON result whose middle was left out. A result
// without its middle isn't valid JSON.
var cutResult = pattern.Lazy(`^\{"chunk_id":"[^"]*","wall_time_seconds":([\d.]+),"exit_code":(-?\d+),(?:"original_token_count":\d+,)?"output":"`)

// resultFrame matches the beginning of a result that is plain text with a frame
// (FORMAT.md §5).
var resultFrame = pattern.Lazy(`^(?:Exit code: -?\d+\n|Chunk ID: )`)

// appendFramed adds the result in text if the text is an output with a frame.
func appendFramed(found []*callEnd, text string) []*callEnd {
	if !resultFrame.MatchString(text[:min(len(text), 64)]) {
		return found
	}
	f := framedOutput{text: text, extra: readers.Extra{}}
	if f.unframeLines(); !f.body {
		return found
	}
	return append(found, &callEnd{code: f.code, duration: f.duration, output: f.text})
}

func appendResults(found []*callEnd, v *fastjson.Value, depth int) []*callEnd {
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
		r := &callEnd{code: readers.Count(v, "exit_code"), output: readers.Text(v, "output")}
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

// appendNamed adds the results in an object that a script made, for example {"a":
// RESULT}. If any value of the object is no result, appendNamed adds nothing.
func appendNamed(found []*callEnd, v *fastjson.Value, depth int) []*callEnd {
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

package codex

import (
	"strings"

	"github.com/valyala/fastjson"

	"hindsql/readers"
	"hindsql/tables"
)

// unrecorded makes the calls of the commands in a file that has no items of
// them: its text says which they were, and, where it passes all results on, how
// each ended.
func (t *rollout) unrecorded(r *record, s *script, f *framed, parts []string) {
	if t.ordered || f.script == "failed" {
		return
	}
	results := commandResults(&t.parser, parts)
	for i, c := range s.commands {
		if c.taken {
			continue
		}
		info := t.makeUp(s, c, t.commandCall(s, c))
		if c.asks {
			t.give(info, t.answerWithin(s, r.at, (*answer).grants))
		}
		if len(results) != len(s.commands) {
			continue // which ended how is not known
		}
		e := &ended{code: results[i].code, duration: results[i].duration, output: results[i].output}
		o := e.outcome()
		info.result = &tables.ToolResult{
			ToolUseID: info.ToolUseID, Output: e.output, Status: o.status, ErrorType: o.errorType,
			ExitCode: e.code, DurationMS: e.duration, Timestamp: r.at,
		}
		t.emit(info.result)
	}
}

// commandResults are the answers that commands gave to a script, where it
// passed them on whole.
type commandResult struct {
	code     tables.Maybe[int64]
	duration tables.Maybe[int64]
	output   string
}

func commandResults(parser *fastjson.Parser, parts []string) []commandResult {
	var found []commandResult
	for _, part := range parts {
		if !strings.HasPrefix(part, "{") && !strings.HasPrefix(part, "[") {
			continue
		}
		if v, err := parser.Parse(part); err == nil {
			found = appendResults(found, v, 0)
		}
	}
	return found
}

func appendResults(found []commandResult, v *fastjson.Value, depth int) []commandResult {
	if depth > 3 {
		return found
	}
	if v.Type() == fastjson.TypeArray {
		for _, e := range v.GetArray() {
			found = appendResults(found, e, depth+1)
		}
		return found
	}
	if readers.Text(v, "status") == "fulfilled" {
		return appendResults(found, v.Get("value"), depth+1)
	}
	if v.Exists("chunk_id") && v.Exists("wall_time_seconds") && v.Exists("output") {
		r := commandResult{code: readers.Count(v, "exit_code"), output: readers.Text(v, "output")}
		if d := v.Get("wall_time_seconds"); d.Type() == fastjson.TypeNumber {
			r.duration = milliseconds(d.GetFloat64())
		}
		found = append(found, r)
	}
	return found
}

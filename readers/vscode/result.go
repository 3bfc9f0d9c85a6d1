package vscode

import (
	"cmp"
	"strings"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// answer reads the result that the model got (FORMAT.md §3.3).
func (t *call) answer(v *fastjson.Value) {
	if v == nil || v.Type() != fastjson.TypeObject {
		return
	}
	t.answered = true
	var out strings.Builder
	for _, one := range v.GetArray("content") {
		value := one.Get("value")
		switch {
		case value.GetObject() != nil:
			tree(&out, value.Get("node"))
		case readers.Text(one, "mimeType") != "":
			data := one.GetStringBytes("data")
			if data == nil {
				data = one.GetStringBytes("data", "$base64")
			}
			t.images = append(t.images, readers.ImageOf(readers.Text(one, "mimeType"), data))
		default:
			out.Write(value.GetStringBytes())
		}
	}
	t.result = out.String()
}

// tree writes the text of a tree made by the prompt-tsx library: a node of type 1 has
// children, a node of type 2 has text.
func tree(out *strings.Builder, v *fastjson.Value) {
	if v == nil {
		return
	}
	if text := v.Get("text"); text != nil {
		if readers.Bool(v, "lineBreakBefore") && out.Len() > 0 && !strings.HasSuffix(out.String(), "\n") {
			out.WriteByte('\n')
		}
		out.Write(text.GetStringBytes())
	}
	for _, child := range v.GetArray("children") {
		tree(out, child)
	}
}

// emitResult emits the result of a call. A call that still waits gets none. fate is what
// became of an edit, an EditKept constant, or empty.
func (c *chat) emitResult(t *call, fate string) {
	if t.outcome.status == tables.StatusPending {
		t.Open = true // a skip doesn't end other calls
		return
	}
	e := &tables.ToolResult{ToolUseID: t.ToolUseID, Output: t.result, Status: t.outcome.status, ErrorType: t.outcome.errorType, DurationUnknown: true, SubagentSessionID: t.child}
	e.ExitCode = t.exitCode()
	if p := t.part; p != nil {
		e.Output = cmp.Or(e.Output, p.output, p.terminal.output)
		if d := p.terminal.duration; d.OK && d.Value >= 0 {
			e.DurationMS, e.DurationUnknown = d, false
			if !p.terminal.started.IsZero() {
				e.Timestamp = p.terminal.started.Add(time.Duration(d.Value) * time.Millisecond)
			}
		}
		if t.outcome.by == tables.ByHook {
			e.Output = cmp.Or(e.Output, p.title) // the hook's reason
		}
	}
	e.Answers, e.EditKept = answersOf(t, e.Output), fate
	c.in.Emit(e)
}

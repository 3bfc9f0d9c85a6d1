package opencode

import (
	"strings"
	"time"

	"github.com/valyala/fastjson"

	"hindsql/readers"
	"hindsql/tables"
)

// readHistory reads what was typed, without times, sessions and projects
// (FORMAT.md §1).
func readHistory(in *readers.Input) error {
	kinds := readers.NewKinds(in)
	err := readers.JSONLines(in, []string{`{"input":`, `{"parts":`, `{"mode":`}, func(v *fastjson.Value, _ readers.Line) {
		kinds.Record(v, "prompt", true, "", time.Time{})
		text, command := typed(v), false
		if readers.Text(v, "mode") == "shell" {
			text, command = "!"+text, true
		}
		if text != "" {
			in.Emit(&tables.Prompt{Text: text, IsCommand: command || readers.IsCommand(text)})
		}
	})
	kinds.Emit(in.Emit)
	return err
}

// typed is the text of an input, what was pasted included: the input has a
// word for it in its place.
func typed(v *fastjson.Value) string {
	text := readers.Text(v, "input")
	for _, part := range v.GetArray("parts") {
		pasted, instead := readers.Text(part, "text"), readers.Text(part, "source", "text", "value")
		if readers.Text(part, "type") == "text" && pasted != "" && instead != "" && len(pasted)+len(text) < longestInput {
			text = strings.Replace(text, instead, pasted, 1)
		}
	}
	return text
}

// longestInput is the most bytes that pastes are put back into.
const longestInput = 16 << 20

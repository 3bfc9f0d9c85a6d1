package opencode

import (
	"strings"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// readHistory reads the typed prompts, which have no times, sessions and projects
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

// typed returns the text of an input with its pastes. The input has a placeholder for
// each paste.
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

// longestInput is the longest text in bytes that pastes are inserted into.
const longestInput = 16 << 20

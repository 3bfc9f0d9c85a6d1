package copilot

import (
	"slices"
	"strings"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// historyList is the only key of the history.
const historyList = "commandHistory"

// readHistory reads the typed prompts, which the file lists newest first. They have no
// times, sessions and folders, and repeated prompts are there once (FORMAT.md §1).
func readHistory(in *readers.Input) error {
	kinds := readers.Kinds{}
	err := readers.Document(in, "(no list)", func(v *fastjson.Value, _ []byte) {
		v.GetObject().Visit(func(key []byte, _ *fastjson.Value) {
			kinds.Count("history/"+string(key), string(key) == historyList, "", time.Time{})
		})
		for _, typed := range slices.Backward(v.GetArray(historyList)) {
			if typed.Type() != fastjson.TypeString {
				kinds.Count("history/("+typed.Type().String()+")", false, "", time.Time{})
				continue
			}
			text := readers.Text(typed)
			kinds.Count("prompt", true, "", time.Time{})
			in.Emit(&tables.Prompt{Text: text, IsCommand: readers.IsCommand(text) || strings.HasPrefix(text, "!")})
		}
	}, func(*fastjson.Value) {})
	kinds.Emit(in.Emit)
	return err
}

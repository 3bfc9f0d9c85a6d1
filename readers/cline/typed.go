package cline

import (
	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// readTyped reads the typed prompts of all projects (FORMAT.md §1.2). Nothing names
// their session or folder.
func readTyped(in *readers.Input) error {
	kinds := readers.NewKinds(in)
	defer func() { kinds.Emit(in.Emit) }()
	return readers.JSONLines(in, []string{`{"prompt":"`, `{"ts":`}, func(v *fastjson.Value, _ readers.Line) {
		at := readers.Time(v.Get("ts"))
		if !is(v.Get("prompt"), fastjson.TypeString) {
			kinds.Count("prompt (no prompt)", false, "", at)
			return
		}
		kinds.Record(v, "prompt", true, "", at)
		text := readers.Text(v, "prompt")
		in.Emit(&tables.Prompt{Text: text, IsCommand: readers.IsCommand(text), Timestamp: at})
	})
}

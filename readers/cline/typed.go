package cline

import (
	"time"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// rewritten is more than it takes to write the file of typed prompts.
const rewritten = time.Second

// readTyped reads the typed prompts of all projects (FORMAT.md §1.2). Nothing names
// their session or folder. Each new prompt rewrites the file, and gives all lines its own
// time, so the time of a line counts only if the next one is later.
func readTyped(in *readers.Input) error {
	kinds := readers.NewKinds(in)
	var last *tables.Prompt
	emit := func(next *tables.Prompt) {
		if last != nil {
			if next != nil && next.Timestamp.Sub(last.Timestamp) < rewritten {
				last.Timestamp = time.Time{}
			}
			in.Emit(last)
		}
		last = next
	}
	defer func() { emit(nil); kinds.Emit(in.Emit) }()
	return readers.JSONLines(in, []string{`{"prompt":"`, `{"ts":`}, func(v *fastjson.Value, _ readers.Line) {
		at := readers.Time(v.Get("ts"))
		if !readers.Is(v.Get("prompt"), fastjson.TypeString) {
			kinds.Count("prompt (no prompt)", false, "", at)
			return
		}
		kinds.Record(v, "prompt", true, "", at)
		text := readers.Text(v, "prompt")
		emit(&tables.Prompt{Text: text, IsCommand: readers.IsCommand(text), Timestamp: at})
	})
}

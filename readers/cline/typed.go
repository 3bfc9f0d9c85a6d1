package cline

import (
	"path"
	"strings"

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

// readTasks reads the list of an extension's tasks: their names and folders
// (FORMAT.md §9.1).
func readTasks(in *readers.Input) error {
	kinds := readers.NewKinds(in)
	err := readWhole(in, "", func(*fastjson.Value, []byte) {}, func(v *fastjson.Value) {
		id, at := readers.Text(v, "id"), readers.Time(v.Get("ts"))
		if id == "" {
			kinds.Count("task (no id)", false, "", at)
			return
		}
		kinds.Record(v, "task", true, "", at)
		if title, _, _ := strings.Cut(strings.TrimSpace(readers.Text(v, "task")), "\n"); title != "" {
			in.Emit(&tables.SessionNote{SessionID: id, Title: title})
		}
		if folder := readers.Text(v, "cwdOnTaskInitialization"); folder != "" && path.Base(id) == id {
			in.Emit(&tables.ProjectNote{Key: id, Project: readers.Folder(folder)})
		}
	})
	kinds.Emit(in.Emit)
	return err
}

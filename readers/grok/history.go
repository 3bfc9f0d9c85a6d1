package grok

import (
	"path"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// historyStarts lists the beginnings of a line of the history.
var historyStarts = []string{`{"timestamp":"`}

// readHistory reads the prompts typed in one folder, which name their session. Slash
// commands are not among them (FORMAT.md §1).
func readHistory(in *readers.Input) error {
	const kind = "history/prompt"
	kinds, project := readers.NewKinds(in), folderOf(in)
	err := readers.JSONLines(in, historyStarts, func(v *fastjson.Value, _ readers.Line) {
		at := readers.Time(v.Get("timestamp"))
		kinds.Record(v, kind, true, "", at)
		text := readers.Text(v, "prompt")
		shell := readers.Bool(v, "is_bash")
		if shell {
			text = "!" + text
		}
		in.Emit(&tables.Prompt{
			SessionID: readers.Text(v, "session_id"), Project: project, Text: text,
			IsCommand: shell || readers.IsCommand(text), Timestamp: at,
		})
	})
	kinds.Emit(in.Emit)
	return err
}

// cwdFile holds the working directory, where the folder's name is too short for it.
const cwdFile = ".cwd"

// folderOf returns the working directory of a log's sessions: the name of the folder
// below sessions, URL-decoded, or the text of a file in it (FORMAT.md §1).
func folderOf(in *readers.Input) string {
	name := nameBelow(in.Rel)
	if decoded := unescaped(name); decoded != name {
		return readers.Folder(decoded)
	}
	if text, err := in.Beside(path.Join(sessionsFolder, name, cwdFile)); err == nil {
		return readers.Folder(trimmed(text))
	}
	return ""
}

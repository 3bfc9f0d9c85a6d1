package neovate

import (
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// toolKinds maps Neovate Code's tools, including old names, to their kinds.
var toolKinds = readers.ToolsOf(`
	edit: edit write
	command: bash bash_output kill_bash
	read: read ls
	search: glob grep
	web: fetch
	plan: ExitPlanMode exitPlanMode
	question: AskUserQuestion
	agent: task
`)

func toolKind(name string) string { return toolKinds.Kind(name, strings.HasPrefix(name, "mcp__")) }

// call is a tool call and its results.
type call struct {
	tables.ToolCall
	native  string // the model's own id
	at      *entry
	results []*result
	aborted bool // refused only because the user pressed Esc while the call waited
}

// toolUse handles a tool_use part of an assistant's message. Some servers number calls
// anew in every response, so a repeated id is made unique.
func (l *log) toolUse(e *entry, v *fastjson.Value) {
	id := readers.Text(v, "id")
	c := &call{native: id, at: e}
	name := l.words.Of(v.GetStringBytes("name"))
	input := v.Get("input")
	c.ToolCall = tables.ToolCall{
		ToolUseID: id,
		ToolName:  name,
		ToolKind:  toolKind(name),
		Input:     readers.JSON(input),
		FilePath:  readers.Text(input, "file_path"),
		Timestamp: e.Timestamp,
		Line:      e.Line,
	}
	if before := l.calls[id]; before != nil && id != "" && before.at.UUID != e.UUID {
		c.ToolUseID = id + "@" + e.UUID
	}
	readers.Arguments(&c.ToolCall, readers.Text(input, "command"), edits)
	l.calls[id] = c
	e.calls = append(e.calls, c)
}

// edits returns the change of an edit or write, whether or not it ran.
var edits = readers.EditIn("file_path", "old_string", "new_string content")

package qwen

import (
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// toolKinds maps Qwen Code's tools to their kinds (FORMAT.md §9).
var toolKinds = readers.ToolsOf(`
	command: run_shell_command
	edit: edit write_file notebook_edit
	read: read_file
	search: glob grep_search list_directory
	web: web_fetch web_search
	agent: agent list_agents
	plan: exit_plan_mode enter_plan_mode
	question: ask_user_question
`)

func toolKind(name string) string { return toolKinds.Kind(name, strings.HasPrefix(name, "mcp__")) }

// call is a tool call, with what the log told of it so far.
type call struct {
	tables.ToolCall
	native string // the model's own id
	of     *response
	told   *told  // nil until the log tells how the call ended
	result string // uuid of the message with the result; empty if none
}

// call handles a functionCall. Some servers number calls anew in every response, so a
// repeated id is made unique.
func (l *log) call(r *record, v *fastjson.Value) {
	id := readers.Text(v, "id")
	args := v.Get("args")
	c := &call{native: id, of: l.now, told: l.tellNext(id)}
	c.ToolCall = tables.ToolCall{
		ToolUseID: id,
		ToolName:  l.words.Of(v.GetStringBytes("name")),
		Input:     readers.JSON(args),
		FilePath:  readers.Text(args, "file_path"),
		Open:      true, // a refusal leaves the other calls of the batch alone (FORMAT.md §4)
		Timestamp: r.at,
		Line:      r.line,
	}
	c.ToolKind = toolKind(c.ToolName)
	if before := l.calls[id]; before != nil && id != "" && before.of != l.now {
		c.ToolUseID = id + "@" + r.id
	}
	readers.Arguments(&c.ToolCall, readers.Text(args, "command"), edits)
	l.calls[id] = c
	l.now.calls = append(l.now.calls, c)
	l.in.Emit(&c.ToolCall)
}

// edits returns the change of an edit or of a written file, whether or not it ran.
var edits = readers.EditIn("file_path", "old_string", "new_string content")

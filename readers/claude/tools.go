package claude

import (
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// toolKinds maps Claude Code's tools, including old names, to their kinds.
var toolKinds = readers.ToolsOf(`
	edit: Edit MultiEdit Write NotebookEdit Update Create
	command: Bash PowerShell BashOutput KillBash KillShell Monitor
	read: Read NotebookRead LS
	search: Grep Glob ToolSearch LSP
	web: WebFetch WebSearch web_search web_fetch
	plan: ExitPlanMode exit_plan_mode EnterPlanMode
	question: AskUserQuestion
	agent: Task Agent
`)

func toolKind(name string) string { return toolKinds.Kind(name, strings.HasPrefix(name, "mcp__")) }

func (t *transcript) toolCall(r *record, b block) *tables.ToolCall {
	name := t.words.Of(b.GetStringBytes("name"))
	input := b.Get("input")
	c := t.events.New()
	*c = tables.ToolCall{
		ToolUseID: readers.Text(b.Value, "id"),
		ToolName:  name,
		ToolKind:  toolKind(name),
		Input:     readers.JSON(input),
		FilePath:  readers.FirstText(input, "file_path", "notebook_path"),
		Timestamp: r.at,
		Line:      r.line,
	}
	readers.Arguments(c, readers.Text(input, "command"), edits)
	return c
}

// edits returns the changes of an Edit, MultiEdit, Write or NotebookEdit.
func edits(input string) []tables.Edit {
	v, err := fastjson.Parse(input)
	if err != nil {
		return nil
	}
	path := readers.FirstText(v, "file_path", "notebook_path")
	if list := v.GetArray("edits"); len(list) > 0 {
		var all []tables.Edit
		for _, e := range list {
			all = append(all, tables.Edit{Path: path, Old: readers.Text(e, "old_string"), New: readers.Text(e, "new_string")})
		}
		return all
	}
	return []tables.Edit{{
		Path: path,
		Old:  readers.Text(v, "old_string"),
		New:  readers.FirstText(v, "new_string", "content", "new_source"),
	}}
}

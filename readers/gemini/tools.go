package gemini

import (
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// toolKinds maps Gemini CLI's tools, including old names, to their kinds.
var toolKinds = map[string]string{
	"replace": tables.ToolEdit, "write_file": tables.ToolEdit, "edit": tables.ToolEdit,
	"run_shell_command": tables.ToolCommand, "read_background_output": tables.ToolCommand,
	"list_background_processes": tables.ToolCommand,
	"read_file":                 tables.ToolRead, "read_many_files": tables.ToolRead, "list_directory": tables.ToolRead,
	"get_internal_docs": tables.ToolRead,
	"glob":              tables.ToolSearch, "grep_search": tables.ToolSearch, "search_file_content": tables.ToolSearch,
	"google_web_search": tables.ToolWeb, "web_fetch": tables.ToolWeb,
	"exit_plan_mode": tables.ToolPlan, "enter_plan_mode": tables.ToolPlan,
	"ask_user":     tables.ToolQuestion,
	"invoke_agent": tables.ToolAgent, "codebase_investigator": tables.ToolAgent, "cli_help": tables.ToolAgent,
}

func toolKind(name string) string {
	if kind := toolKinds[name]; kind != "" {
		return kind
	}
	if strings.HasPrefix(name, "mcp_") || strings.Contains(name, "__") {
		return tables.ToolMCP
	}
	return tables.ToolOther
}

// edits returns the change of a replace or write_file, whether or not it ran.
func edits(input string) []tables.Edit {
	v, err := fastjson.Parse(input)
	if err != nil {
		return nil
	}
	return []tables.Edit{{
		Path: readers.Text(v, "file_path"),
		Old:  readers.Text(v, "old_string"),
		New:  readers.FirstText(v, "new_string", "content"),
	}}
}

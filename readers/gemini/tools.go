package gemini

import (
	"strings"

	"hindsql/readers"
)

// toolKinds maps Gemini CLI's tools, including old names, to their kinds.
var toolKinds = readers.ToolsOf(`
	edit: replace write_file edit
	command: run_shell_command read_background_output list_background_processes
	read: read_file read_many_files list_directory get_internal_docs
	search: glob grep_search search_file_content
	web: google_web_search web_fetch
	plan: exit_plan_mode enter_plan_mode
	question: ask_user
	agent: invoke_agent codebase_investigator cli_help
`)

func toolKind(name string) string {
	return toolKinds.Kind(name, strings.HasPrefix(name, "mcp_") || strings.Contains(name, "__"))
}

// edits returns the change of a replace or write_file, whether or not it ran.
var edits = readers.EditIn("file_path", "old_string", "new_string content")

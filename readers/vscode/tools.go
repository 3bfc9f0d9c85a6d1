package vscode

import (
	"strings"
	"unicode"

	"hindsql/internal/fastjson"
	"hindsql/internal/pattern"
	"hindsql/readers"
	"hindsql/readers/patch"
	"hindsql/tables"
)

// toolKinds maps the tools of VS Code and Copilot Chat, by the model's names, to their
// kinds.
var toolKinds = readers.ToolsOf(`
	edit: replace_string_in_file multi_replace_string_in_file create_file insert_edit_into_file apply_patch edit_notebook_file create_directory edit_files
		vscode_editFile_internal create_new_jupyter_notebook memory
	command: run_in_terminal get_terminal_output create_and_run_task run_task get_task_output runTests run_notebook_cell run_vscode_command await_terminal
		kill_terminal terminal_last_command terminal_selection runCommands send_to_terminal
	read: read_file list_dir get_errors get_changed_files read_notebook_cell_output copilot_getNotebookSummary view_image read_project_structure
		get_project_setup_info test_failure testFailure resolve_memory_file_uri
	search: grep_search file_search semantic_search list_code_usages test_search get_search_view_results github_repo search_workspace_symbols
		get_vscode_api github_text_search session_store_sql tool_search
	web: fetch_webpage vscode_fetchWebPage_internal open_simple_browser vscode_searchExtensions_internal open_browser_page navigate_page read_page
		screenshot_page click_element hover_element drag_element type_in_page handle_dialog run_playwright_code
	plan: manage_todo_list switch_agent vscode_reviewPlan
	question: vscode_askQuestions ask_questions
	agent: runSubagent search_subagent execution_subagent explore_subagent
	other: install_extension create_new_workspace think skill
`)

// toolNames maps ids of VS Code's tools to the names that the model uses, unless the
// two differ only in spelling (FORMAT.md §4.1).
var toolNames = map[string]string{
	"copilot_replaceString": "replace_string_in_file", "copilot_multiReplaceString": "multi_replace_string_in_file",
	"copilot_insertEdit": "insert_edit_into_file", "copilot_editNotebook": "edit_notebook_file",
	"copilot_findTextInFiles": "grep_search", "copilot_findFiles": "file_search", "copilot_searchCodebase": "semantic_search",
	"copilot_listDirectory": "list_dir", "copilot_fetchWebPage": "fetch_webpage", "copilot_githubRepo": "github_repo",
	"copilot_findTestFiles": "test_search", "copilot_testFailure": "test_failure", "copilot_getSearchResults": "get_search_view_results",
	"copilot_runNotebookCell": "run_notebook_cell", "copilot_runVscodeCommand": "run_vscode_command",
	"copilot_readNotebookCellOutput": "read_notebook_cell_output", "copilot_installExtension": "install_extension",
	"copilot_createNewJupyterNotebook": "create_new_jupyter_notebook", "copilot_createNewWorkspace": "create_new_workspace",
	"copilot_getVSCodeAPI": "get_vscode_api", "copilot_viewImage": "view_image", "copilot_switchAgent": "switch_agent",
	"copilot_getChangedFiles": "get_changed_files", "copilot_memory": "memory", "copilot_getProjectSetupInfo": "get_project_setup_info",
	"copilot_listCodeUsages": "list_code_usages", "copilot_openSimpleBrowser": "open_simple_browser",
	"copilot_readProjectStructure": "read_project_structure", "copilot_askQuestions": "ask_questions",
}

// toolName returns the name that the model uses for a tool. guess is true if the name
// was derived from the id.
func toolName(id string) (name string, guess bool) {
	if name := toolNames[id]; name != "" {
		return name, false
	}
	if isKnownName(id) || strings.HasPrefix(id, "mcp_") {
		return id, false
	}
	bare := strings.TrimPrefix(id, "copilot_")
	if name := snakeCase(bare); isKnownName(name) {
		return name, false
	}
	if isKnownName(bare) {
		return bare, false
	}
	return id, strings.HasPrefix(id, "copilot_")
}

func isKnownName(name string) bool { return toolKinds[name] != "" }

// snakeCase writes readFile as read_file.
func snakeCase(name string) string {
	var out strings.Builder
	for _, r := range name {
		if unicode.IsUpper(r) {
			out.WriteByte('_')
		}
		out.WriteRune(unicode.ToLower(r))
	}
	return out.String()
}

func toolKind(name, source string) string {
	if source == "mcp" || strings.HasPrefix(name, "mcp_") {
		return tables.ToolMCP
	}
	return toolKinds.Kind(name, false)
}

// readArguments reads a call's arguments.
func (t *call) readArguments(args *fastjson.Value) {
	t.Input = readers.JSON(args)
	switch t.ToolKind {
	case tables.ToolCommand:
		t.Command = readers.Text(args, "command")
	case tables.ToolEdit, tables.ToolRead:
		t.FilePath = readers.FirstText(args, "filePath", "path", "dirPath", "file_path")
	}
	if t.ToolKind != tables.ToolEdit {
		return
	}
	if text := readers.Text(args, "input"); patch.In(text) != "" {
		patch.Set(&t.ToolCall, text)
		return
	}
	if many := args.GetArray("replacements"); t.FilePath == "" && len(many) > 0 {
		t.FilePath = readers.Text(many[0], "filePath")
	}
	t.Edits = func() []tables.Edit { return edits(t.Input) }
}

// edits returns the changes in the input of an edit, even if the edit didn't run.
func edits(input string) []tables.Edit {
	v, err := fastjson.Parse(input)
	if err != nil {
		return nil
	}
	var list []tables.Edit
	for _, one := range append([]*fastjson.Value{v}, v.GetArray("replacements")...) {
		e := tables.Edit{
			Path: readers.Text(one, "filePath"),
			Old:  readers.Text(one, "oldString"),
			New:  readers.FirstText(one, "newString", "content", "code", "newCode"),
		}
		if e.Path != "" && e.Old+e.New != "" {
			list = append(list, e)
		}
	}
	return list
}

var link = pattern.Lazy(`\]\(([a-z][a-z0-9.+-]+://[^)\s]+)\)`)

// linkedFile returns the file that a call's message links to.
func linkedFile(v *fastjson.Value) string {
	if m := link.FindStringSubmatch(markdown(v)); m != nil {
		return parseURI(m[1]).path
	}
	return ""
}

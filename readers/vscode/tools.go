package vscode

import (
	"strings"
	"unicode"

	"hindsql/internal/fastjson"
	"hindsql/internal/pattern"
	"hindsql/readers"
	"hindsql/tables"
)

// toolKinds maps the tools of VS Code and Copilot Chat, by the model's names, to their
// kinds.
var toolKinds = map[string]string{
	"replace_string_in_file": tables.ToolEdit, "multi_replace_string_in_file": tables.ToolEdit, "create_file": tables.ToolEdit,
	"insert_edit_into_file": tables.ToolEdit, "apply_patch": tables.ToolEdit, "edit_notebook_file": tables.ToolEdit,
	"create_directory": tables.ToolEdit, "edit_files": tables.ToolEdit, "vscode_editFile_internal": tables.ToolEdit,
	"create_new_jupyter_notebook": tables.ToolEdit, "memory": tables.ToolEdit,
	"run_in_terminal": tables.ToolCommand, "get_terminal_output": tables.ToolCommand, "create_and_run_task": tables.ToolCommand,
	"run_task": tables.ToolCommand, "get_task_output": tables.ToolCommand, "runTests": tables.ToolCommand,
	"run_notebook_cell": tables.ToolCommand, "run_vscode_command": tables.ToolCommand, "await_terminal": tables.ToolCommand,
	"kill_terminal": tables.ToolCommand, "terminal_last_command": tables.ToolCommand, "terminal_selection": tables.ToolCommand,
	"runCommands": tables.ToolCommand, "send_to_terminal": tables.ToolCommand,
	"read_file": tables.ToolRead, "list_dir": tables.ToolRead, "get_errors": tables.ToolRead, "get_changed_files": tables.ToolRead,
	"read_notebook_cell_output": tables.ToolRead, "copilot_getNotebookSummary": tables.ToolRead, "view_image": tables.ToolRead,
	"read_project_structure": tables.ToolRead, "get_project_setup_info": tables.ToolRead, "test_failure": tables.ToolRead,
	"testFailure": tables.ToolRead, "resolve_memory_file_uri": tables.ToolRead,
	"grep_search": tables.ToolSearch, "file_search": tables.ToolSearch, "semantic_search": tables.ToolSearch,
	"list_code_usages": tables.ToolSearch, "test_search": tables.ToolSearch, "get_search_view_results": tables.ToolSearch,
	"github_repo": tables.ToolSearch, "search_workspace_symbols": tables.ToolSearch, "get_vscode_api": tables.ToolSearch,
	"github_text_search": tables.ToolSearch, "session_store_sql": tables.ToolSearch, "tool_search": tables.ToolSearch,
	"fetch_webpage": tables.ToolWeb, "vscode_fetchWebPage_internal": tables.ToolWeb, "open_simple_browser": tables.ToolWeb,
	"vscode_searchExtensions_internal": tables.ToolWeb, "open_browser_page": tables.ToolWeb, "navigate_page": tables.ToolWeb,
	"read_page": tables.ToolWeb, "screenshot_page": tables.ToolWeb, "click_element": tables.ToolWeb, "hover_element": tables.ToolWeb,
	"drag_element": tables.ToolWeb, "type_in_page": tables.ToolWeb, "handle_dialog": tables.ToolWeb,
	"run_playwright_code": tables.ToolWeb,
	"manage_todo_list":    tables.ToolPlan, "switch_agent": tables.ToolPlan, "vscode_reviewPlan": tables.ToolPlan,
	"vscode_askQuestions": tables.ToolQuestion, "ask_questions": tables.ToolQuestion,
	"runSubagent": tables.ToolAgent, "search_subagent": tables.ToolAgent, "execution_subagent": tables.ToolAgent,
	"explore_subagent":  tables.ToolAgent,
	"install_extension": tables.ToolOther, "create_new_workspace": tables.ToolOther, "think": tables.ToolOther, "skill": tables.ToolOther,
}

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
	if name := snake(bare); isKnownName(name) {
		return name, false
	}
	if isKnownName(bare) {
		return bare, false
	}
	return id, strings.HasPrefix(id, "copilot_")
}

func isKnownName(name string) bool { return toolKinds[name] != "" }

// snake writes readFile as read_file.
func snake(name string) string {
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
	if kind := toolKinds[name]; kind != "" {
		return kind
	}
	return tables.ToolOther
}

// arguments reads a call's arguments.
func (t *call) arguments(args *fastjson.Value) {
	t.Input = readers.JSON(args)
	switch t.ToolKind {
	case tables.ToolCommand:
		t.Command = readers.Text(args, "command")
	case tables.ToolEdit, tables.ToolRead:
		for _, key := range []string{"filePath", "path", "dirPath", "file_path"} {
			if s := readers.Text(args, key); s != "" {
				t.FilePath = s
				break
			}
		}
	}
	if t.ToolKind != tables.ToolEdit {
		return
	}
	if patch := readers.Text(args, "input"); readers.PatchIn(patch) != "" {
		t.FilePath = readers.PatchedFile(patch)
		t.Diff = func() string { return readers.PatchDiff(patch) }
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
		e := tables.Edit{Path: readers.Text(one, "filePath"), Old: readers.Text(one, "oldString"), New: readers.Text(one, "newString")}
		for _, key := range []string{"content", "code", "newCode"} {
			if e.New == "" {
				e.New = readers.Text(one, key)
			}
		}
		if e.Path != "" && e.Old+e.New != "" {
			list = append(list, e)
		}
	}
	return list
}

var link = pattern.Lazy(`\]\(([a-z][a-z0-9.+-]+://[^)\s]+)\)`)

// shownFile returns the file that a call's message links to.
func shownFile(v *fastjson.Value) string {
	if m := link.FindStringSubmatch(markdown(v)); m != nil {
		return locationIn(m[1]).path
	}
	return ""
}

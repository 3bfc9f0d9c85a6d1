package cline

import (
	"strconv"
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// shownTools maps what the extension showed of a tool to the model's name of the tool.
var shownTools = map[string]string{
	"editedExistingFile": "replace_in_file", "newFileCreated": "write_to_file", "fileDeleted": "apply_patch",
	"readFile": "read_file", "listFilesTopLevel": "list_files", "listFilesRecursive": "list_files",
	"listCodeDefinitionNames": "list_code_definition_names", "searchFiles": "search_files",
	"webFetch": "web_fetch", "webSearch": "web_search", "summarizeTask": "summarize_task", "useSkill": "use_skill",
}

// call adds a call to the response. The extension shows no id.
func (t *task) call(m *shown, name, input string) *call {
	e := t.response(m)
	c := &call{at: e, asked: m.asks}
	c.ToolCall = tables.ToolCall{
		ToolUseID: e.UUID + "." + strconv.Itoa(len(e.calls)+1), ToolName: name, ToolKind: toolKind(name),
		Input: input, Timestamp: m.at, Line: m.line,
	}
	e.calls = append(e.calls, c)
	if t.asked, t.waiting = nil, false; m.asks {
		t.asked, t.waiting = c, true
	}
	return c
}

// tool handles a tool that the extension showed. A partial one was never run.
func (t *task) tool(m *shown) {
	v := m.object()
	if v == nil || m.partial {
		return
	}
	name := readers.Text(v, "tool")
	if own := shownTools[name]; own != "" {
		name = own
	}
	if name == "summarize_task" {
		one := *m
		one.text = readers.Text(v, "content")
		t.condensed(&one)
		return
	}
	c := t.call(m, name, readers.JSON(v))
	c.FilePath = readers.Text(v, "path")
	if c.ToolKind == tables.ToolEdit {
		c.Edits = func() []tables.Edit { return shownEdits(c.Input) }
	}
}

// shownEdits returns an edit as the extension showed it: a new file's text, or blocks to
// search and replace.
func shownEdits(input string) []tables.Edit {
	v, err := fastjson.Parse(input)
	if err != nil {
		return nil
	}
	file, text := readers.Text(v, "path"), readers.FirstText(v, "diff", "content")
	var list []tables.Edit
	var old, fresh []string
	into := &fresh
	for line := range strings.Lines(text) {
		switch bare := strings.TrimRight(line, "\r\n"); {
		case strings.HasSuffix(bare, " SEARCH") && strings.Trim(bare, "-< ") == "SEARCH":
			old, fresh, into = nil, nil, &old
		case into == &old && strings.Trim(bare, "=") == "" && len(bare) > 4:
			into = &fresh
		case strings.HasSuffix(bare, " REPLACE") && strings.Trim(bare, "+> ") == "REPLACE":
			list = append(list, tables.Edit{Path: file, Old: strings.Join(old, ""), New: strings.Join(fresh, "")})
			old, fresh = nil, nil
		default:
			*into = append(*into, line)
		}
	}
	if list == nil && text != "" {
		return []tables.Edit{{Path: file, New: text}}
	}
	return list
}

// marked ends a command for which the model itself wanted an approval.
const marked = "REQ_APP"

func (t *task) command(m *shown) {
	if m.text == "" || m.partial {
		return
	}
	text := strings.TrimSuffix(m.text, marked)
	c := t.call(m, "execute_command", readers.Object(map[string]any{"command": text}))
	c.Command = text
}

func (t *task) mcp(m *shown) {
	if v := m.object(); v != nil && !m.partial {
		name := "use_mcp_tool"
		if readers.Text(v, "type") == "access_mcp_resource" {
			name = "access_mcp_resource"
		}
		t.call(m, name, readers.JSON(v))
	}
}

func (t *task) browser(m *shown) {
	if m.text != "" && !m.partial {
		t.call(m, "browser_action", readers.Object(map[string]any{"action": "launch", "url": m.text}))
	}
}

// printed handles what the last call printed.
func (t *task) printed(m *shown) {
	if t.answer == nil || len(t.answer.calls) == 0 || m.asks {
		return
	}
	c := t.answer.calls[len(t.answer.calls)-1]
	c.printed = append(c.printed, m.text)
}

// question handles a question. The user picks an option, or the words follow.
func (t *task) question(m *shown) {
	v := m.object()
	if v == nil || readers.Text(v, "question") == "" || m.partial {
		return
	}
	options := []string{}
	options = append(options, readers.Texts(v.GetArray("options"))...)
	c := t.call(m, "ask_followup_question", readers.Object(map[string]any{"question": readers.Text(v, "question"), "options": options}))
	if c.picked = readers.Text(v, "selected"); c.picked != "" {
		t.waiting = false
	}
}

const (
	forbiddenBegin = `Command "`
	forbiddenEnd   = `" was denied by CLINE_COMMAND_PERMISSIONS.`
)

// forbidden handles a command that a setting forbids. Nothing else shows the call.
func (t *task) forbidden(m *shown) {
	command, begins := strings.CutPrefix(m.text, forbiddenBegin)
	command, _, ends := strings.Cut(command, forbiddenEnd)
	if !begins || !ends {
		t.notice(m)
		return
	}
	one := *m
	one.asks = false
	c := t.call(&one, "execute_command", readers.Object(map[string]any{"command": command}))
	c.Command, c.forbidden = command, true
}

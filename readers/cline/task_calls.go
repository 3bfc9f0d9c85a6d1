package cline

import (
	"cmp"
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

// addCall adds a call to the response. The extension shows no id.
func (t *task) addCall(m *shown, name, input string) *call {
	e := t.currentResponse(m)
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

// addTool handles a tool that the extension showed. A partial one was never run.
func (t *task) addTool(m *shown) {
	v := m.parseObject()
	if v == nil || m.partial {
		return
	}
	name := readers.Text(v, "tool")
	name = cmp.Or(shownTools[name], name)
	if name == "summarize_task" {
		one := *m
		one.text = readers.Text(v, "content")
		t.addCompaction(&one)
		return
	}
	c := t.addCall(m, name, readers.JSON(v))
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

// approvalMark ends a command for which the model itself wanted an approval.
const approvalMark = "REQ_APP"

func (t *task) addCommand(m *shown) {
	if m.text == "" || m.partial {
		return
	}
	text := strings.TrimSuffix(m.text, approvalMark)
	c := t.addCall(m, "execute_command", readers.Object(map[string]any{"command": text}))
	c.Command = text
}

func (t *task) addMCPCall(m *shown) {
	if v := m.parseObject(); v != nil && !m.partial {
		name := "use_mcp_tool"
		if readers.Text(v, "type") == "access_mcp_resource" {
			name = "access_mcp_resource"
		}
		t.addCall(m, name, readers.JSON(v))
	}
}

func (t *task) addBrowserCall(m *shown) {
	if m.text != "" && !m.partial {
		t.addCall(m, "browser_action", readers.Object(map[string]any{"action": "launch", "url": m.text}))
	}
}

// addOutput handles what the last call printed.
func (t *task) addOutput(m *shown) {
	if t.answer == nil || len(t.answer.calls) == 0 || m.asks {
		return
	}
	c := t.answer.calls[len(t.answer.calls)-1]
	c.printed = append(c.printed, m.text)
}

// addQuestion handles a question. The user picks an option, or the words follow.
func (t *task) addQuestion(m *shown) {
	v := m.parseObject()
	if v == nil || readers.Text(v, "question") == "" || m.partial {
		return
	}
	options := []string{}
	options = append(options, readers.Texts(v.GetArray("options"))...)
	c := t.addCall(m, "ask_followup_question", readers.Object(map[string]any{"question": readers.Text(v, "question"), "options": options}))
	if c.picked = readers.Text(v, "selected"); c.picked != "" {
		t.waiting = false
	}
}

const (
	forbiddenBegin = `Command "`
	forbiddenEnd   = `" was denied by CLINE_COMMAND_PERMISSIONS.`
)

// addForbidden handles a command that a setting forbids. Nothing else shows the call.
func (t *task) addForbidden(m *shown) {
	command, begins := strings.CutPrefix(m.text, forbiddenBegin)
	command, _, ends := strings.Cut(command, forbiddenEnd)
	if !begins || !ends {
		t.addNotice(m)
		return
	}
	one := *m
	one.asks = false
	c := t.addCall(&one, "execute_command", readers.Object(map[string]any{"command": command}))
	c.Command, c.forbidden = command, true
}

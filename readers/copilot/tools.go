package copilot

import (
	"cmp"
	"strings"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/readers/patch"
	"hindsql/tables"
)

// toolKinds maps the tools of Copilot CLI, including old names, to their kinds
// (FORMAT.md §3.4).
var toolKinds = readers.ToolsOf(`
	command: bash powershell shell local_shell
	edit: edit create write insert apply_patch str_replace str_replace_editor
	read: view read show_file
	search: grep rg glob
	web: fetch web_fetch web_search
	agent: task read_agent write_agent list_agents stop_agent
	plan: exit_plan_mode
	question: ask_user
`)

const (
	editorTool = "str_replace_editor"
	patchTool  = "apply_patch"
)

func toolKind(name string, server bool, arguments *fastjson.Value) string {
	switch {
	case server:
		return tables.ToolMCP
	case name == editorTool && readers.Text(arguments, "command") == "view":
		return tables.ToolRead
	case toolKinds[name] != "":
		return toolKinds[name]
	case strings.HasSuffix(name, "_bash"), strings.HasSuffix(name, "_powershell"):
		return tables.ToolCommand
	case strings.HasPrefix(name, "fetch_"):
		return tables.ToolWeb
	}
	return tables.ToolOther
}

// call is a tool call and its known facts so far.
type call struct {
	tables.ToolCall
	native    string // the model's own id
	thread    *thread
	uuid      string    // id of the message with the call
	started   time.Time // zero if unknown
	grantedAt time.Time // zero if no user was asked
	waited    tables.Maybe[int64]
	decided   bool              // by a grant
	refusal   *tables.Rejection // emitted before the call's end
	stopped   bool              // cut before its end
	result    *tables.ToolResult
	child     string // session of the subagent that the call started
	answers   []tables.Answer
}

// toolRequest handles a call in an answer. Some servers use the same ids in every
// answer, so a repeated id is made unique.
func (l *log) toolRequest(t *thread, e *event, m *tables.Message, v *fastjson.Value) {
	id := readers.Text(v, "toolCallId")
	extra := readers.Extra{}
	extra.JSON("intention", v.Get("intentionSummary"))
	extra.JSON("mcp_server", v.Get("mcpServerName"))
	extra.JSON("mcp_tool", v.Get("mcpToolName"))
	c := l.newCall(t, e, id, l.words.Intern(v.GetStringBytes("name")), v.Get("arguments"), readers.Text(v, "mcpServerName") != "")
	c.uuid, c.Extra = m.UUID, readers.Object(extra)
	l.emit(t, &c.ToolCall)
}

func (l *log) newCall(t *thread, e *event, id, name string, arguments *fastjson.Value, server bool) *call {
	c := &call{native: id, thread: t}
	c.ToolCall = tables.ToolCall{
		ToolUseID: id,
		ToolName:  name,
		ToolKind:  toolKind(name, server, arguments),
		Input:     inputOf(arguments),
		FilePath:  readers.FirstText(arguments, "path", "file_path", "filePath"),
		Timestamp: e.at,
		Line:      e.line,
	}
	if l.calls[id] != nil {
		c.ToolUseID = id + "@" + e.id
	}
	switch c.ToolKind {
	case tables.ToolCommand:
		c.Command = readers.Text(arguments, "command")
	case tables.ToolEdit:
		c.setEdit(name, arguments)
	}
	if id != "" {
		l.calls[id] = c
	}
	t.open = append(t.open, c)
	return c
}

// inputOf returns a call's arguments as an object. A patch is a plain text, and becomes
// the key input.
func inputOf(arguments *fastjson.Value) string {
	switch {
	case readers.IsNull(arguments):
		return "{}"
	case arguments.Type() != fastjson.TypeObject:
		return `{"input":` + readers.JSON(arguments) + `}`
	}
	return readers.JSON(arguments)
}

// setEdit sets the edit to show for a refused call: from the call's arguments, unless the
// question has a diff.
func (c *call) setEdit(name string, arguments *fastjson.Value) {
	if name == patchTool {
		patch.Set(&c.ToolCall, cmp.Or(readers.Text(arguments), readers.FirstText(arguments, "input", "patch")))
		return
	}
	edit := tables.Edit{
		Path: c.FilePath,
		Old:  readers.Text(arguments, "old_str"),
		New:  readers.FirstText(arguments, "new_str", "file_text", "content"),
	}
	c.Edits = func() []tables.Edit { return []tables.Edit{edit} }
}

// executionStarted handles the start of a call, which comes before the question about
// it. If the answer with the call is unreadable, only this event shows the call.
func (l *log) executionStarted(e *event) {
	id := readers.Text(e.Value, "toolCallId")
	c := l.calls[id]
	if c == nil && l.typed[id] {
		return
	}
	if c == nil || c.result != nil && !c.started.IsZero() {
		c = l.addUnrequested(e, id)
	}
	c.started = e.at
}

// addUnrequested makes a call that the log holds in no answer. It gets an empty answer.
func (l *log) addUnrequested(e *event, id string) *call {
	t := l.thread(e)
	m := e.message(tables.RoleAssistant, tables.KindResponse, "")
	l.setModel(t, m, l.modelIn(e.Value, "model"))
	l.emitMessage(t, m)
	name := l.words.Intern(e.GetStringBytes("toolName"))
	c := l.newCall(t, e, id, name, e.Get("arguments"), readers.Text(e.Value, "mcpServerName") != "")
	c.uuid = m.UUID
	l.emit(t, &c.ToolCall)
	return c
}

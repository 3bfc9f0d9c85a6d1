package opencode

import (
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/readers/patch"
	"hindsql/tables"
)

// toolKinds holds the program's own tools, including old names (FORMAT.md §4).
var toolKinds = readers.ToolsOf(`
	command: bash shell
	edit: edit write multiedit apply_patch patch
	read: read list
	search: glob grep codesearch
	web: webfetch websearch
	agent: task
	question: question
	plan: plan_exit plan_enter
	other: todowrite todoread skill invalid batch lsp lsp_hover lsp_diagnostics
`)

// toolKind returns the kind of a tool. An unknown name with an underscore counts as an
// MCP tool, because a server's name precedes the tool's.
func toolKind(name string) string {
	at := strings.IndexByte(name, '_')
	return toolKinds.Kind(name, at > 0 && at < len(name)-1)
}

// call is a tool part: a call and its result.
type call struct {
	tables.ToolCall
	isBuiltIn bool // the tool is one of the program's own
	state     string
	result    tables.ToolResult
	ended     int64 // ms since 1970; 0 if not recorded
	refusal   *tables.Rejection
	printed   string // what a stopped command had printed
	hasReason bool   // the user refused with words
	errorText string // error text without the prefix of old versions
	cause     *call  // refused call that took this call down, or nil
	extra     readers.Extra
}

// toolPart reads a call. Some model servers reuse ids in every answer, so toolPart
// makes a repeated id unique.
func (c *session) toolPart(e *entry, p *storedPart, v *fastjson.Value) {
	state := v.Get("state")
	name := c.words.Intern(v.GetStringBytes("tool"))
	t := &call{isBuiltIn: toolKinds[name] != "", state: c.words.Intern(state.GetStringBytes("status"))}
	t.ToolCall = tables.ToolCall{
		ToolUseID: readers.Text(v, "callID"),
		ToolName:  name,
		ToolKind:  toolKind(name),
		Timestamp: readers.Time(state.Get("time", "start")),
		Line:      e.Line,
	}
	if t.Timestamp.IsZero() {
		t.Timestamp = e.Timestamp
	}
	if t.ToolUseID == "" {
		t.ToolUseID = p.id
	} else if c.callIDs[t.ToolUseID] {
		t.ToolUseID += "@" + p.id
	}
	c.callIDs[t.ToolUseID] = true
	t.readArguments(state.Get("input"))
	c.readResult(t, state)
	e.calls = append(e.calls, t)
}

// readArguments reads a call's arguments.
func (t *call) readArguments(input *fastjson.Value) {
	t.Input = readers.JSON(input)
	switch t.ToolKind {
	case tables.ToolCommand:
		t.Command = readers.Text(input, "command")
	case tables.ToolEdit, tables.ToolRead:
		t.FilePath = readers.FirstText(input, "filePath", "path")
	}
	if t.ToolKind != tables.ToolEdit {
		return
	}
	if text := readers.FirstText(input, "patchText", "patch"); patch.In(text) != "" {
		patch.Set(&t.ToolCall, text)
		return
	}
	t.Edits = func() []tables.Edit { return edits(t.Input) }
}

// edits returns the edits of a call, carried out or not.
func edits(input string) []tables.Edit {
	v, err := fastjson.Parse(input)
	if err != nil {
		return nil
	}
	var list []tables.Edit
	path := readers.Text(v, "filePath")
	for _, one := range append([]*fastjson.Value{v}, v.GetArray("edits")...) {
		e := tables.Edit{Path: path, Old: readers.Text(one, "oldString"), New: readers.FirstText(one, "newString", "content")}
		if e.Old+e.New != "" {
			list = append(list, e)
		}
	}
	return list
}

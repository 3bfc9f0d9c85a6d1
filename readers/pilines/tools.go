package pilines

import (
	"strconv"
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// toolKinds maps the tools of pi, its example extensions and its kin to their kinds.
var toolKinds = readers.ToolsOf(`
	command: bash powershell exec process python ssh
	edit: edit write multiedit apply_patch ast_edit notebook
	read: read
	search: grep find ls glob ast_grep search
	web: web_search web_fetch fetch browser
	question: question questionnaire ask
	plan: exit_plan_mode plan
	agent: subagent task sessions_spawn
	mcp: mcp
	script: codemode
`)

// piTools lists pi's own tools. Their errors are pi's own words, or a command's output
// with a tail.
var piTools = readers.SetOf(`bash powershell edit write read grep find ls`)

// shells lists the tools that run commands, and put the same tails behind their output.
var shells = readers.SetOf(`bash powershell`)

// ohMyPiTools lists oh-my-pi's further tools. Tools that run code are missing: code can
// throw an error with any text.
var ohMyPiTools = readers.SetOf(`ast_edit ast_grep search ask todo_write`)

func toolKind(name string) string { return toolKinds.Kind(name, strings.HasPrefix(name, "mcp_")) }

// call is a tool call.
type call struct {
	tables.ToolCall
	result       *result // the last result; nil if none
	hasDurations bool    // the response with the call has a durationMs
}

// newCall returns a call, with the file, the command or the edits in its arguments.
func newCall(id, name string, input *fastjson.Value) *call {
	c := &call{ToolCall: tables.ToolCall{
		ToolUseID: id, ToolName: name, ToolKind: toolKind(name),
		Input: readers.JSON(input), FilePath: readers.FirstText(input, "path", "file_path", "filePath"),
	}}
	readers.SetArguments(&c.ToolCall, readers.FirstText(input, "command", "cmd", "code"), edits)
	return c
}

// neverRan reports whether a failed result replaces a run: a run leaves its durationMs,
// if pi is one that writes them, as the response with the call shows
// (readers/pi/FORMAT.md §4.2).
func (c *call) neverRan(result *fastjson.Value) bool {
	if c == nil || !c.hasDurations || result.Exists("durationMs") {
		return false
	}
	details := result.Get("details")
	return details != nil && details.Type() == fastjson.TypeObject && details.GetObject().Len() == 0
}

// toolCall handles a toolCall part of a response. A missing id, or a repeated one, from
// servers that number calls anew, is made unique.
func (l *log) toolCall(e *entry, v *fastjson.Value) {
	id := readers.Text(v, "id")
	c := newCall(id, l.words.Intern(v.GetStringBytes("name")), v.Get("arguments"))
	c.Timestamp, c.Line, c.hasDurations = e.at, e.line, e.turn.hasDurations
	if l.calls[id] != nil || id == "" {
		c.ToolUseID = id + "@" + e.uuid + "/" + strconv.Itoa(len(e.turn.calls))
	}
	if c.ToolUseID == id {
		l.calls[id], c.result = c, l.early[id]
	} else if id != "" {
		l.calls[id] = c
	}
	e.turn.calls = append(e.turn.calls, c)
	l.in.Emit(&c.ToolCall)
}

// edits returns the changes of an edit or write: edits[], or the single change of older
// versions.
func edits(input string) (list []tables.Edit) {
	v, err := fastjson.Parse(input)
	if err != nil {
		return nil
	}
	path := readers.FirstText(v, "path", "file_path", "filePath")
	if text := v.Get("content"); text != nil {
		return []tables.Edit{{Path: path, New: readers.Text(text)}}
	}
	for _, one := range append(v.GetArray("edits"), v) {
		e := tables.Edit{
			Path: path,
			Old:  readers.FirstText(one, "oldText", "old_text", "old_string", "oldString"),
			New:  readers.FirstText(one, "newText", "new_text", "new_string", "newString"),
		}
		if e.Old != "" || e.New != "" {
			list = append(list, e)
		}
	}
	return list
}

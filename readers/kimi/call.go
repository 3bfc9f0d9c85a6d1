package kimi

import (
	"cmp"
	"strconv"
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// toolKinds holds Kimi Code's own tools (FORMAT.md §10).
var toolKinds = readers.ToolsOf(`
	command: Bash
	edit: Edit Write
	read: Read ReadMediaFile
	search: Grep Glob
	web: FetchURL WebSearch
	agent: Agent AgentSwarm
	plan: EnterPlanMode ExitPlanMode
	question: AskUserQuestion
`)

func toolKind(name string) string { return toolKinds.Kind(name, strings.HasPrefix(name, "mcp__")) }

// call is a tool call.
type call struct {
	tables.ToolCall
	step     *step
	hasLine  bool // the line with the call came; otherwise only the ask is known
	ask      *ask // nil if nobody was asked
	result   *result
	emitted  *tables.ToolResult // nil until the call's end was emitted
	mode     string             // permission mode when the call was made
	plan     bool               // plan mode was on
	side     bool               // made for a side question
	allowed  bool               // by a rule that the user allowed for the session
	subagent []string
	extra    readers.Extra
}

// stepCall returns the call with the model's id in the open step, and makes it if the
// step has no such call yet: a call that was asked about stands only after the answer. A
// repeated id, from servers that number calls anew, is made unique.
func (w *wire) stepCall(s *step, id, name string) *call {
	c := w.calls[id]
	if c != nil && id != "" && c.step == s {
		return c
	}
	unique := id
	if c != nil || id == "" {
		unique = id + "@" + s.UUID + "/" + strconv.Itoa(len(s.calls))
	}
	c = &call{step: s, ToolCall: tables.ToolCall{
		ToolUseID: unique, ToolName: name, ToolKind: toolKind(name), Open: true, Timestamp: w.chat.at, Line: w.chat.line,
	}}
	if id != "" {
		w.calls[id] = c
	}
	s.calls = append(s.calls, c)
	return c
}

// toolCall handles the line of a call. The call's time is that of the ask, if a person
// was asked.
func (w *wire) toolCall(event *fastjson.Value) {
	uuid := readers.Text(event, "uuid")
	if uuid != "" && w.byUUID[uuid] != nil {
		return // a repeated line
	}
	s := w.beginStep(readers.Text(event, "stepUuid"))
	if s == nil {
		return
	}
	id, name := readers.Text(event, "toolCallId"), w.chat.words.Intern(event.GetStringBytes("name"))
	c := w.stepCall(s, id, name)
	if c.hasLine {
		return
	}
	if uuid != "" {
		w.byUUID[uuid] = c
	}
	c.hasLine, c.Line, c.mode, c.plan, c.side = true, w.chat.line, w.mode, w.plan, w.facts.isSide
	c.ToolName, c.ToolKind = name, toolKind(name)
	c.setArguments(event.Get("args"), event.Get("display"))
	c.allowed = w.allowed[name] || w.allowed[name+"("+c.Command+")"]
}

// setArguments sets what the arguments and the display say of a call. The display has
// the file's whole path. For a call that has only an ask, it stands for the arguments.
func (c *call) setArguments(args, display *fastjson.Value) {
	c.Input = readers.JSON(args)
	c.FilePath = cmp.Or(readers.Text(display, "path"), readers.FirstText(args, "path", "file_path"))
	switch c.ToolKind {
	case tables.ToolCommand:
		c.Command = readers.Text(args, "command")
	case tables.ToolEdit:
		input, path := c.Input, c.FilePath
		c.Edits = func() []tables.Edit { return edits(input, path) }
	case tables.ToolPlan:
		c.extra.Text("plan", readers.Text(display, "plan"))
	}
}

// edits returns the change that an Edit or a Write makes, from its arguments or from the
// display of an ask.
func edits(input, path string) []tables.Edit {
	v, err := fastjson.Parse(input)
	if err != nil {
		return nil
	}
	e := tables.Edit{
		Path: path,
		Old:  readers.FirstText(v, "old_string", "before"),
		New:  readers.FirstText(v, "new_string", "after", "content"),
	}
	if e.Old == "" && e.New == "" {
		return nil
	}
	return []tables.Edit{e}
}

// subagentSpawned handles the start of a subagent by a call. A swarm's call starts
// several (FORMAT.md §9).
func (w *wire) subagentSpawned(v *fastjson.Value) {
	if c := w.calls[readers.Text(v, "parentToolCallId")]; c != nil && c.result == nil {
		c.subagent = append(c.subagent, w.facts.agentSessionID(readers.Text(v, "subagentId")))
	}
}

// quotedCall handles a call in a message: of a copy, or from kimi-cli.
func (w *wire) quotedCall(v *fastjson.Value) {
	name, args := readers.Text(v, "name"), readers.Text(v, "arguments")
	if f := v.Get("function"); f != nil {
		name, args = readers.Text(f, "name"), readers.Text(f, "arguments")
	}
	id := readers.Text(v, "id")
	c := &call{hasLine: true, ToolCall: tables.ToolCall{
		ToolUseID: id, ToolName: name, ToolKind: toolKind(name), Open: true, Timestamp: w.chat.at, Line: w.chat.line,
	}}
	if w.calls[id] != nil || id == "" {
		c.ToolUseID = id + "@" + w.chat.newID("call")
	}
	w.calls[id] = c
	parsed, _ := fastjson.Parse(args) // nil if they are no JSON
	c.setArguments(parsed, nil)
	w.in.Emit(&c.ToolCall)
}

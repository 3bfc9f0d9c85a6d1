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
	made     bool // the line with the call came; otherwise only the ask is known
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

// callOf returns the call with the model's id in the open step, and makes it if the step
// has no such call yet: a call that was asked about stands only after the answer. A
// repeated id, from servers that number calls anew, is made unique.
func (w *wire) callOf(s *step, id, name string) *call {
	c := w.calls[id]
	if c != nil && id != "" && c.step == s {
		return c
	}
	unique := id
	if c != nil || id == "" {
		unique = id + "@" + s.UUID + "/" + strconv.Itoa(len(s.calls))
	}
	c = &call{step: s, ToolCall: tables.ToolCall{
		ToolUseID: unique, ToolName: name, ToolKind: toolKind(name), Open: true, Timestamp: w.talk.at, Line: w.talk.line,
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
	s := w.begin(readers.Text(event, "stepUuid"))
	if s == nil {
		return
	}
	id, name := readers.Text(event, "toolCallId"), w.talk.words.Of(event.GetStringBytes("name"))
	c := w.callOf(s, id, name)
	if c.made {
		return
	}
	if uuid != "" {
		w.byUUID[uuid] = c
	}
	c.made, c.Line, c.mode, c.plan, c.side = true, w.talk.line, w.mode, w.plan, w.about.side
	c.ToolName, c.ToolKind = name, toolKind(name)
	c.describe(event.Get("args"), event.Get("display"))
	c.allowed = w.allowed[name] || w.allowed[name+"("+c.Command+")"]
}

// describe sets what the arguments and the display tell of a call. The display has the
// file's whole path.
func (c *call) describe(args, display *fastjson.Value) {
	c.Input = readers.JSON(args)
	c.FilePath = readers.FirstText(display, "path")
	c.FilePath = cmp.Or(c.FilePath, readers.FirstText(args, "path", "file_path"))
	switch c.ToolKind {
	case tables.ToolCommand:
		c.Command = readers.FirstText(args, "command")
	case tables.ToolEdit:
		input, path := c.Input, c.FilePath
		c.Edits = func() []tables.Edit { return edits(input, path) }
	case tables.ToolPlan:
		c.extra.Text("plan", readers.Text(display, "plan"))
	}
}

// pending describes a call that has only an ask: the process died at the ask, so the
// arguments were never written (FORMAT.md §5).
func (c *call) pending(display *fastjson.Value) {
	c.Input, c.FilePath = readers.JSON(display), readers.Text(display, "path")
	switch c.ToolKind {
	case tables.ToolCommand:
		c.Command = readers.Text(display, "command")
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

// spawned handles the start of a subagent by a call. A swarm's call starts several
// (FORMAT.md §9).
func (w *wire) spawned(v *fastjson.Value) {
	if c := w.calls[readers.Text(v, "parentToolCallId")]; c != nil && c.result == nil {
		c.subagent = append(c.subagent, w.about.sessionOf(readers.Text(v, "subagentId")))
	}
}

// quotedCall handles a call in a message: of a copy, or from kimi-cli.
func (w *wire) quotedCall(v *fastjson.Value) {
	name, args := readers.Text(v, "name"), readers.Text(v, "arguments")
	if f := v.Get("function"); f != nil {
		name, args = readers.Text(f, "name"), readers.Text(f, "arguments")
	}
	id := readers.Text(v, "id")
	c := &call{made: true, ToolCall: tables.ToolCall{
		ToolUseID: id, ToolName: name, ToolKind: toolKind(name), Open: true, Timestamp: w.talk.at, Line: w.talk.line,
	}}
	if w.calls[id] != nil || id == "" {
		c.ToolUseID = id + "@" + w.talk.name("call")
	}
	w.calls[id] = c
	parsed, err := fastjson.Parse(args)
	if err != nil {
		parsed = nil
	}
	c.describe(parsed, nil)
	w.in.Emit(&c.ToolCall)
}

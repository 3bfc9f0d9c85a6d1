package grok

import (
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// toolKinds maps Grok Build's tools to their kinds (FORMAT.md §7).
var toolKinds = readers.ToolsOf(`
	command: run_terminal_command run_terminal_cmd
	edit: search_replace write
	read: read_file list_dir
	search: grep
	web: web_search web_fetch
	agent: spawn_subagent
	plan: exit_plan_mode enter_plan_mode
	question: ask_user_question
	mcp: use_tool
`)

const (
	planTool     = "exit_plan_mode"
	questionTool = "ask_user_question"
)

// toolKind returns the kind of a tool. A server's tool is named server__tool.
func toolKind(name string) string { return toolKinds.Kind(name, strings.Contains(name, "__")) }

// call is a tool call and its known facts so far.
type call struct {
	tables.ToolCall
	native     string // the model's own id
	response   *tables.Message
	ended      bool // a result was read
	failed     bool
	ran        bool   // an event says so
	endText    string // the end of a failed call, or of a plan or question, in the tool's or program's words
	resultType string // rawOutput.type: the program's own word for the result; empty if it has none
	result     *tables.ToolResult
	refusal    *tables.Rejection // void until the turn is judged
	task       string            // description of a subagent's task
	child      string            // session of the subagent that the call started
	ask        *ask
	shell      bool // typed by the user after "!"
}

// setTool sets the tool, and what its arguments show. own is the program's own name for
// the tool; empty if unknown.
func (c *call) setTool(name, own string, input *fastjson.Value) {
	if c.ToolName, c.ToolKind = name, toolKind(name); c.ToolKind == tables.ToolOther && own != "" {
		c.ToolKind = toolKind(own)
	}
	c.Input = "{}"
	if input != nil && input.Type() == fastjson.TypeObject {
		c.Input = readers.JSON(input)
	} else if !readers.IsNull(input) {
		c.Input = `{"input":` + readers.JSON(input) + `}`
	}
	c.FilePath = readers.FirstText(input, "file_path", "target_file", "path", "target_directory")
	if c.ToolKind == tables.ToolAgent {
		c.task = readers.Text(input, "description")
	}
	readers.SetArguments(&c.ToolCall, readers.Text(input, "command"), editsIn)
}

// editsIn returns the edit in the arguments of an edit tool.
var editsIn = readers.EditIn("file_path path target_file", "old_string old_str", "new_string new_str content contents")

// diffsIn returns the edits in an update's content.
func diffsIn(content []*fastjson.Value) (edits []tables.Edit) {
	for _, part := range content {
		if readers.Text(part, "type") == "diff" {
			edits = append(edits, tables.Edit{Path: readers.Text(part, "path"), Old: readers.Text(part, "oldText"), New: readers.Text(part, "newText")})
		}
	}
	return edits
}

// toolCall handles a call: the title is the tool's name (FORMAT.md §2). A command that
// the user typed has such a line, too.
func (l *log) toolCall(u *update) {
	t, id := l.currentTurn(u), readers.Text(u.Value, "toolCallId")
	c := &call{native: id}
	typed := t.shell != "" && t.response == nil && readers.Text(u.Value, "rawInput", "command") == t.shell
	if typed || u.GetBool("_meta", "bash_mode") || strings.HasPrefix(id, "bash-mode-") {
		c.shell, t.shell = true, ""
		l.calls[id] = c
		return
	}
	own := u.GetStringBytes("_meta", "x.ai/tool", "name") // the title may be a client's name for it
	name := u.GetStringBytes("title")
	if len(name) == 0 {
		name = own
	}
	c.setTool(l.words.Intern(name), string(own), u.Get("rawInput"))
	c.ToolUseID, c.Timestamp, c.Line = id, u.at, u.line
	if l.calls[id] != nil {
		c.ToolUseID = id + "@" + u.id // some servers number calls anew
	}
	m := l.responsePart(t, u)
	if c.response = t.response; m == t.response {
		m.UUID = u.id
		l.emitMessage(m)
	} else {
		l.returnTo(t.response, u)
	}
	if id != "" {
		l.calls[id] = c
	}
	t.calls = append(t.calls, c)
	l.in.Emit(&c.ToolCall)
}

// backgrounded is the signal of a command that went to the background: the model got an
// answer, and the line has no status.
const backgrounded = "backgrounded"

// toolCallUpdate handles what becomes of a call: first its details, then its end.
func (l *log) toolCallUpdate(u *update) {
	c := l.calls[readers.Text(u.Value, "toolCallId")]
	status := readers.Text(u.Value, "status")
	if status != "completed" && status != "failed" && readers.Text(u.Value, "rawOutput", "signal") != backgrounded {
		if c != nil && !c.ended {
			c.readDetails(u)
		}
		return
	}
	switch {
	case c == nil:
		id := readers.Text(u.Value, "toolCallId")
		c = &call{native: id, ended: true} // its line is damaged
		c.ToolUseID = id
		l.endCall(c, u)
	case c.shell:
		l.emitShellOutput(u)
	default:
		l.endCall(c, u)
	}
}

// readDetails keeps the file and the edit that the user is asked about.
func (c *call) readDetails(u *update) {
	if c.FilePath == "" {
		if places := u.GetArray("locations"); len(places) > 0 {
			c.FilePath = readers.Text(places[0], "path")
		}
	}
	if edits := diffsIn(u.GetArray("content")); len(edits) > 0 {
		c.Edits = func() []tables.Edit { return edits }
	}
}

// emitShellOutput handles the output of a command that the user typed.
func (l *log) emitShellOutput(u *update) {
	m := u.message(tables.RoleUser, tables.KindCommandOutput, textOf(u.GetArray("content")))
	if exit := readers.Int(u.Value, "rawOutput", "exit_code"); exit.OK {
		m.Extra = readers.Object(map[string]any{"exit_code": exit.Value})
	}
	l.emitMessage(l.markSidechain(m))
}

// textOf joins the texts of an update's content.
func textOf(content []*fastjson.Value) string {
	var b strings.Builder
	for _, part := range content {
		if readers.Text(part, "type") != "content" {
			continue
		}
		text, _ := contentOf(part.Get("content"))
		if text != "" && b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(text)
	}
	return b.String()
}

// endCall handles the end of a call. Whether it was refused is only known at the end of
// the turn: until then a refusal is void.
func (l *log) endCall(c *call, u *update) {
	r := &tables.ToolResult{ToolUseID: c.ToolUseID, Output: outputOf(u), Status: tables.StatusOK, Timestamp: u.at, SubagentSessionID: c.child}
	c.ended, c.failed, c.result = true, readers.Text(u.Value, "status") == "failed", r
	c.resultType = readers.Text(u.Value, "rawOutput", "type")
	done, ran := l.events.findRun(c.native, c.Timestamp, u.at)
	c.ran, r.DurationMS = ran, done.duration
	r.Status, r.ErrorType, r.ExitCode = c.outcome(u, r.Output, done.outcome)
	if pictures := picturesIn(u); len(pictures) > 0 {
		r.Extra = readers.Object(map[string]any{"images": pictures})
	}
	if child := childSession(l.spawned, c, r.Output); child != "" {
		c.child, r.SubagentSessionID = child, child
	}
	l.emitMessage(l.markSidechain(u.message(tables.RoleUser, tables.KindToolResult, "")))
	l.in.Emit(r)
	if l.turn != nil && !u.meta.Exists("streamStartMs") {
		l.turn.response = nil // a line without the time of its answer begins the next one
	}
	if !c.failed && c.ToolKind != tables.ToolPlan && c.ToolKind != tables.ToolQuestion {
		c.Edits = nil // only a refused edit is shown
		return
	}
	c.endText = r.Output
	c.refusal = &tables.Rejection{ToolUseID: c.ToolUseID, Void: true, Timestamp: u.at}
	l.in.Emit(c.refusal)
	if l.turn != nil && c.endText == followupText(c.ToolName) {
		l.turn.awaitWords(c)
	}
	if c.failed && c.response != nil {
		l.emitDropped(c, u)
	}
}

func picturesIn(u *update) (list []readers.Image) {
	for _, part := range u.GetArray("content") {
		if _, image := contentOf(part.Get("content")); image != (picture{}) {
			list = append(list, readers.Image(image))
		}
	}
	return list
}

// outcome returns how a call ended, if nobody refused it. A command's exit code decides.
// word is that of the event of its end.
func (c *call) outcome(u *update, output, word string) (status, errorType string, exit tables.Maybe[int64]) {
	raw := u.Get("rawOutput")
	if c.ToolKind == tables.ToolCommand && readers.Text(raw, "signal") != backgrounded {
		exit = readers.Int(raw, "exit_code")
	}
	switch {
	case raw.GetBool("timed_out"):
		return tables.StatusError, tables.ErrorTimeout, exit
	case exit.OK && exit.Value != 0:
		return tables.StatusError, tables.ErrorExitCode, exit
	case word == "invalid_tool":
		return tables.StatusError, tables.ErrorInvalidCall, exit
	case c.failed && (raw.Exists("FileNotFound") || raw.Exists("NotFound")):
		return tables.StatusError, tables.ErrorNotFound, exit
	case c.failed, word == "error":
		return tables.StatusError, errorTypeOf(output), exit
	}
	return tables.StatusOK, "", exit
}

// unparsed begins the result of a call whose tool is unknown, or whose arguments don't
// fit (FORMAT.md §4).
const unparsed = "Failed to parse arguments for tool `"

// errorWords maps patterns of the beginning of a failed call's text to error types.
var errorWords = readers.ErrorWordsOf(
	`(?i)^(unknown tool|(no such )?tool .{0,80}(not found|does not exist|not available)|invalid (arguments?|parameters?|input)|missing (field|required))`,
	`(?i)ENOENT|no such file|^Error: .{1,300} does not exist|(file|path|directory) .{0,200}(not found|does not exist)|(not found|does not exist).{0,40}(file|path|directory)`,
	`(?i)timed? ?out`,
)

func errorTypeOf(text string) string {
	if strings.HasPrefix(text, unparsed) {
		return tables.ErrorInvalidCall
	}
	return errorWords.Type(text[:min(len(text), 1000)])
}

package gemini

import (
	"bytes"
	"strconv"
	"strings"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/internal/pattern"
	"hindsql/readers"
	"hindsql/tables"
)

// call is a tool call with its result. The log keeps both in one record.
type call struct {
	tables.ToolCall
	state          string // success, error or cancelled; empty if only the model's history has the call
	answered       bool
	output         string
	failure        string // text in functionResponse.response.error, the only record of an error
	display        string // resultDisplay, if text
	live           string // what a cancelled call had shown by then, as text
	ran            bool   // the call is cancelled, and had shown something
	masked         bool   // the output was moved to a file; the log holds a preview of it
	finished       time.Time
	agent          string // id of the subagent session that the call started
	askedAboutDiff bool   // the user was asked about a diff
	outcome        outcome
	extra          readers.Extra
}

// addToolCall reads a recorded call: a new call, or the next state of a known call.
func (c *chat) addToolCall(e *entry, v *fastjson.Value) {
	t := c.callOf(e, readers.Text(v, "id"))
	t.state = c.words.Intern(v.GetStringBytes("status"))
	t.setName(c.words.Intern(v.GetStringBytes("name")), v.Get("args"))
	if strings.HasSuffix(readers.Text(v, "displayName"), ofServer) {
		t.ToolKind, t.Edits, t.FilePath, t.Command = tables.ToolMCP, nil, "", ""
	}
	if at := readers.Time(v.Get("timestamp")); !at.IsZero() {
		t.finished = at
	}
	t.agent = readers.Text(v, "agentId")
	t.Timestamp = startTime(t, e)
	t.setDisplay(v.Get("resultDisplay"))
	result := c.partsOf(v.Get("result"), "tool result")
	if len(result.answers) > 0 || result.text != "" || len(result.images) > 0 {
		t.setAnswer(result)
	}
}

// ofServer ends the displayName of an MCP server's tool, which may have the name of an
// own tool (FORMAT.md §2.5).
const ofServer = " MCP Server)"

// addFunctionCall adds a call from the history that the model gets. A separate record of
// the call, with its status, may come earlier, later or never.
func (c *chat) addFunctionCall(e *entry, v *fastjson.Value) {
	id := readers.Text(v, "id")
	if c.calls[id] != nil && id != "" {
		return
	}
	t := c.callOf(e, id)
	t.setName(c.words.Intern(v.GetStringBytes("name")), v.Get("args"))
	t.Timestamp = startTime(t, e)
}

// callOf returns the call with the id. If new, the call is added to the message.
func (c *chat) callOf(e *entry, id string) *call {
	if t := c.calls[id]; t != nil && id != "" {
		return t
	}
	t := &call{}
	t.ToolUseID, t.Line = id, e.Line
	c.calls[id] = t
	e.calls = append(e.calls, t)
	return t
}

func (t *call) setName(name string, args *fastjson.Value) {
	t.ToolName, t.ToolKind = name, toolKind(name)
	t.Input = readers.JSON(args)
	t.FilePath, t.Command = "", ""
	switch t.ToolKind {
	case tables.ToolEdit, tables.ToolRead:
		t.FilePath = readers.FirstText(args, "file_path", "absolute_path")
	case tables.ToolCommand:
		t.Command = readers.Text(args, "command")
	}
	if t.ToolKind == tables.ToolEdit && t.Edits == nil {
		t.Edits = func() []tables.Edit { return edits(t.Input) }
	}
}

// idTime matches the time in an id made up by Gemini CLI (FORMAT.md §2.4):
// replace-1758…-ab, replace_1777…_0.
var idTime = pattern.Lazy(`[-_](1[0-9]{12})[-_]`)

// startTime returns when a call was made: the time in the call's id or, if the id has
// none, the message's time. That is the time of the response. But if Gemini CLI wrote
// the message to record a stopped batch, it is the time when the batch ended.
func startTime(t *call, e *entry) time.Time {
	if m := idTime.FindStringSubmatch(t.ToolUseID); m != nil {
		ms, _ := strconv.ParseInt(m[1], 10, 64)
		return time.UnixMilli(ms).UTC()
	}
	return e.Timestamp
}

// endTime returns when the call ended. It is zero if the start is unknown, because then
// both times would be equal.
func (t *call) endTime() time.Time {
	if t.finished.Sub(t.Timestamp) <= 10*time.Millisecond && !idTime.MatchString(t.ToolUseID) {
		return time.Time{}
	}
	return t.finished
}

// setDisplay sets a call's resultDisplay, which the user saw: a text, the diff of an edit,
// or a subagent's report.
func (t *call) setDisplay(v *fastjson.Value) {
	cancelled := t.state == "cancelled"
	switch {
	case readers.Is(v, fastjson.TypeString):
		t.display = readers.Text(v)
		t.live, t.ran = t.display, cancelled && t.display != ""
	case readers.Is(v, fastjson.TypeArray):
		if t.ran = cancelled; cancelled {
			t.live = terminalText(v.GetArray())
		}
	case v.Exists("fileDiff"):
		t.extra.JSON("diff_stat", v.Get("diffStat"))
		if cancelled {
			edit := tables.Edit{Path: readers.FirstText(v, "filePath", "fileName"), Old: readers.Text(v, "originalContent"), New: readers.Text(v, "newContent")}
			t.Edits = func() []tables.Edit { return []tables.Edit{edit} }
			t.askedAboutDiff = true
		}
	case readers.Bool(v, "isSubagentProgress"):
		t.extra.JSON("agent_name", v.Get("agentName"))
		t.extra.JSON("terminate_reason", v.Get("terminateReason"))
		t.ran = cancelled
	}
}

// terminalText returns the lines of a terminal: each is a list of pieces, filled up with
// blanks.
func terminalText(lines []*fastjson.Value) string {
	var text strings.Builder
	for _, line := range lines {
		var whole []byte
		for _, piece := range line.GetArray() {
			whole = append(whole, piece.GetStringBytes("text")...)
		}
		text.Write(bytes.TrimRight(whole, " "))
		text.WriteByte('\n')
	}
	return strings.TrimRight(text.String(), "\n")
}

// setAnswer sets a result of the call. The first full result is kept; a preview of a
// moved output doesn't replace it.
func (t *call) setAnswer(p parts) {
	var a call
	for _, one := range p.answers {
		a.output, a.failure = joinLines(a.output, one.output), joinLines(a.failure, one.failure)
	}
	a.output = joinLines(a.output, p.text)
	a.masked = isMasked(a.output)
	if t.answered && !t.masked && a.masked {
		return
	}
	t.answered, t.masked, t.output, t.failure = true, a.masked, a.output, a.failure
	t.extra.Images(p.images)
}

func joinLines(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n" + b
}

// parseResponse reads functionResponse.response: output, error, both, or a tool
// server's own object.
func (t *call) parseResponse(v *fastjson.Value) {
	t.output, t.failure = textOrJSON(v.Get("output")), textOrJSON(v.Get("error"))
	if o := v.GetObject(); o != nil && o.Len() > 0 && !v.Exists("output") && !v.Exists("error") {
		t.output = readers.JSON(v)
	}
}

func textOrJSON(v *fastjson.Value) string {
	if readers.IsNull(v) {
		return ""
	}
	if v.Type() == fastjson.TypeString {
		return readers.Text(v)
	}
	return readers.JSON(v)
}

// toolKinds maps Gemini CLI's tools, including old names, to their kinds.
var toolKinds = readers.ToolsOf(`
	edit: replace write_file edit
	command: run_shell_command read_background_output list_background_processes
	read: read_file read_many_files list_directory get_internal_docs
	search: glob grep_search search_file_content
	web: google_web_search web_fetch
	plan: exit_plan_mode enter_plan_mode
	question: ask_user
	agent: invoke_agent codebase_investigator cli_help
`)

func toolKind(name string) string {
	return toolKinds.Kind(name, strings.HasPrefix(name, "mcp_") || strings.Contains(name, "__"))
}

// edits returns the change of a replace or write_file, whether or not it ran.
var edits = readers.EditIn("file_path", "old_string", "new_string content")

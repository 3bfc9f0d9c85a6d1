package gemini

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/valyala/fastjson"

	"hindsql/readers"
	"hindsql/tables"
)

// call is a tool call with its result, which the log keeps together.
type call struct {
	tables.ToolCall
	state    string // success, error or cancelled; empty where only the model's history has the call
	answered bool
	output   string
	failure  string // functionResponse.response.error: the only place where errors stand
	display  string // resultDisplay, where it is text
	masked   bool   // the output was replaced by a pointer to a file
	finished time.Time
	agent    string // the subagent session that it spawned
	awaited  bool   // it had a diff to show for approval
	outcome  outcome
	extra    map[string]any
}

// toolCall takes a recorded call: a new one, or the next state of one.
func (c *chat) toolCall(e *entry, v *fastjson.Value) {
	t := c.callOf(e, readers.Text(v, "id"))
	t.state = c.words.Of(v.GetStringBytes("status"))
	t.name(c.words.Of(v.GetStringBytes("name")), v.Get("args"))
	if at := readers.Time(v.Get("timestamp")); !at.IsZero() {
		t.finished = at
	}
	t.agent = readers.Text(v, "agentId")
	t.Timestamp = startOf(t, e)
	t.show(v.Get("resultDisplay"))
	result := c.partsOf(v.Get("result"), "tool result")
	if len(result.answers) > 0 || result.text != "" || len(result.images) > 0 {
		t.answer(result)
	}
}

// functionCall takes a call from the model's history, where a record of the
// call itself may come first, later or never.
func (c *chat) functionCall(e *entry, v *fastjson.Value) {
	id := readers.Text(v, "id")
	if c.calls[id] != nil && id != "" {
		return
	}
	t := c.callOf(e, id)
	t.name(c.words.Of(v.GetStringBytes("name")), v.Get("args"))
	t.Timestamp = startOf(t, e)
}

// callOf is the call with the id, made part of the message where it is new.
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

func (t *call) name(name string, args *fastjson.Value) {
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

// idTime finds the time in an id that Gemini CLI made up (FORMAT.md §2.4): replace-1758…-ab,
// replace_1777…_0.
var idTime = readers.Lazy(`[-_](1[0-9]{12})[-_]`)

// startOf is when a call was made: the id tells, else the message, whose time
// is that of the response, or of the end of the batch where the message was
// made to hold it.
func startOf(t *call, e *entry) time.Time {
	if m := idTime.FindStringSubmatch(t.ToolUseID); m != nil {
		ms, _ := strconv.ParseInt(m[1], 10, 64)
		return time.UnixMilli(ms).UTC()
	}
	return e.Timestamp
}

// ended is when the call ended; zero where its start isn't known either, as
// the two would seem one moment.
func (t *call) ended() time.Time {
	if t.finished.Sub(t.Timestamp) <= 10*time.Millisecond && !idTime.MatchString(t.ToolUseID) {
		return time.Time{}
	}
	return t.finished
}

// show takes resultDisplay: text, the diff of an edit, or a subagent's report.
func (t *call) show(v *fastjson.Value) {
	switch {
	case is(v, fastjson.TypeString):
		t.display = readers.Text(v)
	case v.Exists("fileDiff"):
		t.note("diff_stat", v.Get("diffStat"))
		if t.state == "cancelled" {
			edit := tables.Edit{Path: readers.FirstText(v, "filePath", "fileName"), Old: readers.Text(v, "originalContent"), New: readers.Text(v, "newContent")}
			t.Edits = func() []tables.Edit { return []tables.Edit{edit} }
			t.awaited = true
		}
	case v.GetBool("isSubagentProgress"):
		t.note("agent_name", v.Get("agentName"))
		t.note("terminate_reason", v.Get("terminateReason"))
	}
}

func (t *call) note(key string, v *fastjson.Value) {
	if v == nil || v.Type() == fastjson.TypeNull {
		return
	}
	if t.extra == nil {
		t.extra = map[string]any{}
	}
	t.extra[key] = json.RawMessage(readers.JSON(v))
}

// claim notes that a tool's own answer says somebody had refused it.
func (t *call) claim() {
	if t.extra == nil {
		t.extra = map[string]any{}
	}
	t.extra["claimed_denial"] = true
}

// answer takes a result. The first one that isn't masked stands.
func (t *call) answer(p parts) {
	var a call
	for _, one := range p.answers {
		a.output, a.failure = joined(a.output, one.output), joined(a.failure, one.failure)
	}
	a.output = joined(a.output, p.text)
	a.masked = isMasked(a.output)
	if t.answered && !t.masked && a.masked {
		return
	}
	t.answered, t.masked, t.output, t.failure = true, a.masked, a.output, a.failure
	if len(p.images) > 0 {
		if t.extra == nil {
			t.extra = map[string]any{}
		}
		t.extra["images"] = p.images
	}
}

func joined(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n" + b
}

// respond takes functionResponse.response: output, error, both, or what a
// server of tools made of it.
func (t *call) respond(v *fastjson.Value) {
	t.output, t.failure = plain(v.Get("output")), plain(v.Get("error"))
	if o := v.GetObject(); o != nil && o.Len() > 0 && !v.Exists("output") && !v.Exists("error") {
		t.output = readers.JSON(v)
	}
}

func plain(v *fastjson.Value) string {
	if v == nil || v.Type() == fastjson.TypeNull {
		return ""
	}
	if v.Type() == fastjson.TypeString {
		return readers.Text(v)
	}
	return readers.JSON(v)
}

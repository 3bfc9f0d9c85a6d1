package neovate

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/valyala/fastjson"

	"hindsql/readers"
	"hindsql/tables"
)

// result is one result of a call. Some calls have several (FORMAT.md §4.2, §5).
type result struct {
	tables.ToolResult
	native string
	sort   sort
	reason string // the user's words, of a refusal
	at     *entry
	call   *call  // nil where the file holds none
	kind   string // ToolKind of its tool
	extra  map[string]any
	// A person answered the question that the call asks: the answers stand in
	// the result's arguments, and not in those that the model gave.
	answered bool
	wording  bool // nothing but the sentence, and what came after, tells of the refusal
}

// sort is what a result is, from the least to the most that it tells of its
// call: of several results that of the highest sort stands.
type sort int

const (
	skipped sort = iota // not asked about, as an earlier call was refused
	marked              // the marker of an interruption in a result's place
	ran                 // what the tool gave
	denied              // refused
)

// The agent's fixed texts (FORMAT.md §4.2, §5).
const (
	deniedPlain  = "Error: Tool execution was denied by user."
	deniedReason = "Tool use rejected with user message:"
	skippedText  = "Error: Tool execution was skipped due to previous tool denial."
	cancelled    = "Tool execution was canceled by user."
)

// toolResult takes a result of either shape (FORMAT.md §3.1).
func (l *log) toolResult(e *entry, v *fastjson.Value, id string) {
	r := &result{native: id, at: e}
	body := v.Get("result")
	output, images := outputOf(body)
	display := body.Get("returnDisplay")
	if output == "" && display != nil && display.Type() == fastjson.TypeString {
		output = readers.Text(display)
	}
	r.ToolResult = tables.ToolResult{ToolUseID: id, Output: output, Status: tables.StatusOK, Timestamp: e.Timestamp}
	r.extra = map[string]any{}
	if len(images) > 0 {
		r.extra["images"] = images
	}
	if body.GetBool("truncated") {
		r.extra["truncated"] = true
	}
	c := l.answered(e, r)
	l.show(r, c, display, r.extra)
	if agent := agentOf(v, body); agent != "" {
		r.SubagentSessionID = "agent-" + agent
	}
	tool := toolOf(c, v)
	r.kind = toolKind(tool)
	r.judge(tool, body.GetBool("isError"), readers.Text(display))
	if c != nil {
		r.answers(c, v.Get("input"))
	}
	e.results = append(e.results, r)
	if r.sort == marked {
		e.marker = r.Output
	}
}

// answered finds the call that a result is for: of the message that the line
// goes on from, else the last with the id.
func (l *log) answered(e *entry, r *result) *call {
	c := l.calls[r.native]
	if parent := l.byUUID[e.ParentUUID]; parent != nil {
		for _, own := range parent.calls {
			if own.native == r.native {
				c = own
			}
		}
	}
	if c != nil {
		r.call, r.ToolUseID = c, c.ToolUseID
		c.results = append(c.results, r)
	}
	return c
}

func toolOf(c *call, v *fastjson.Value) string {
	if c != nil {
		return c.ToolName
	}
	if name := readers.Text(v, "toolName"); name != "" {
		return name
	}
	return readers.Text(v, "name")
}

func agentOf(v, body *fastjson.Value) string {
	for _, s := range []string{readers.Text(v, "agentId"), readers.Text(body, "metadata", "agentId"), readers.Text(body, "returnDisplay", "agentId")} {
		if s != "" {
			return s
		}
	}
	return ""
}

// outputOf is what the model got: a string, or parts.
func outputOf(body *fastjson.Value) (string, []readers.Image) {
	v := body.Get("llmContent")
	if v == nil {
		return "", nil
	}
	if v.Type() == fastjson.TypeString {
		return readers.Text(v), nil
	}
	var texts []string
	var images []readers.Image
	for _, p := range v.GetArray() {
		switch readers.Text(p, "type") {
		case "text":
			texts = append(texts, readers.Text(p, "text"))
		case "image":
			images = append(images, readers.ImageOf(readers.Text(p, "mimeType"), p.GetStringBytes("data")))
		default:
			texts = append(texts, readers.JSON(p))
		}
	}
	return strings.Join(texts, "\n"), images
}

// show takes from returnDisplay what the output doesn't say: the diff of an
// edit, and a subagent's statistics.
func (l *log) show(r *result, c *call, v *fastjson.Value, extra map[string]any) {
	switch readers.Text(v, "type") {
	case "diff_viewer":
		for name, key := range map[string]string{"absolute_path": "absoluteFilePath", "write_type": "writeType"} {
			if s := readers.Text(v, key); s != "" {
				extra[name] = s
			}
		}
		if c != nil && c.ToolKind == tables.ToolEdit {
			edit := tables.Edit{Path: readers.Text(v, "filePath"), Old: shown(v.Get("originalContent"), c), New: shown(v.Get("newContent"), c)}
			c.Edits = func() []tables.Edit { return []tables.Edit{edit} }
		}
	case "agent_result":
		r.DurationMS = readers.Count(v, "stats", "duration")
		for name, key := range map[string]string{"agent_type": "agentType", "agent_status": "status", "agent_stats": "stats"} {
			if s := v.Get(key); s != nil && s.Type() != fastjson.TypeNull {
				extra[name] = json.RawMessage(readers.JSON(s))
			}
		}
	}
}

// shown is a text of a diff, or that of the call's arguments which it names.
func shown(v *fastjson.Value, c *call) string {
	key := readers.Text(v, "inputKey")
	if key == "" {
		return readers.Text(v)
	}
	input, err := fastjson.Parse(c.Input)
	if err != nil {
		return ""
	}
	return readers.Text(input, key)
}

// answers keeps the arguments that a result has otherwise than its call: a
// question's answers, and what the user changed before approving.
func (r *result) answers(c *call, input *fastjson.Value) {
	if input == nil || input.Type() != fastjson.TypeObject {
		return
	}
	if answers := input.Get("answers"); answers != nil && c.ToolKind == tables.ToolQuestion {
		given, err := fastjson.Parse(c.Input)
		r.answered = err == nil && !given.Exists("answers")
		r.extra["answers"] = json.RawMessage(readers.JSON(answers))
		return
	}
	if changed := readers.JSON(input); changed != c.Input {
		r.extra["input"] = json.RawMessage(changed)
	}
}

// judge says how the call ended, by its result alone.
func (r *result) judge(tool string, isError bool, display string) {
	text := strings.TrimSpace(r.Output)
	switch {
	case isError && text == deniedPlain:
		r.sort, r.Status = denied, tables.StatusRejected
	case isError && strings.HasPrefix(text, deniedReason):
		r.sort, r.Status = denied, tables.StatusRejected
		r.reason = strings.TrimSpace(text[len(deniedReason):])
	case isError && text == skippedText:
		r.sort, r.Status = skipped, tables.StatusSkipped
	case isError && text == interrupted && display == cancelled:
		r.sort, r.Status = marked, tables.StatusInterrupted
	default:
		r.sort = ran
		r.ended(tool, isError, text)
	}
}

const timedOut = "Command execution timed out and was cancelled."

// ended reads the result of a tool that ran, or that could not be run.
func (r *result) ended(tool string, isError bool, text string) {
	if tool == "bash" {
		r.ExitCode = exitCode(text)
	}
	switch {
	case tool == "bash" && strings.HasPrefix(text, timedOut):
		r.ErrorType = tables.ErrorTimeout
	case r.ExitCode.Value != 0:
		r.ErrorType = tables.ErrorExitCode
	case isError:
		r.ErrorType = errorType(text)
	case tool == "bash" && signalled.MatchString(text):
		r.ErrorType = tables.ErrorOther
	}
	if r.ErrorType != "" {
		r.Status = tables.StatusError
	}
}

var (
	// The end of what the shell tool gives.
	exitLine  = readers.Lazy(`\nExit Code: (-?\d+)\nSignal: `)
	signalled = readers.Lazy(`\nSignal: SIG[A-Z0-9]+\nBackground PIDs: `)
)

// exitCode is the last one that a command's result names: the command may have
// printed the like.
func exitCode(text string) tables.Maybe[int64] {
	all := exitLine.FindAllStringSubmatch(text, -1)
	if len(all) == 0 {
		return tables.Maybe[int64]{}
	}
	n, err := strconv.ParseInt(all[len(all)-1][1], 10, 32)
	return tables.Maybe[int64]{Value: n, OK: err == nil}
}

// errorTypes by a pattern of a failed result's text.
var errorTypes = []struct {
	text      *readers.Pattern
	errorType string
}{
	{readers.Lazy(`^(Tool \S+ not found|Invalid tool parameters|Tool parameters parse failed|new_string must differ)`), tables.ErrorInvalidCall},
	{readers.Lazy(`(?i)ENOENT|no such file|(file|path|directory) .{0,200}(not found|does not exist)`), tables.ErrorNotFound},
	{readers.Lazy(`(?i)timed? ?out`), tables.ErrorTimeout},
}

func errorType(text string) string {
	for _, e := range errorTypes {
		if e.text.MatchString(text) {
			return e.errorType
		}
	}
	return tables.ErrorOther
}

package neovate

import (
	"cmp"
	"encoding/json"
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/internal/pattern"
	"hindsql/readers"
	"hindsql/tables"
)

// result is one result of a call. Some calls have several (FORMAT.md §4.2, §5).
type result struct {
	tables.ToolResult
	native string
	rank   rank
	reason string // the user's words in a refusal
	at     *entry
	call   *call  // nil if the file lacks the call
	kind   string // kind of its tool
	extra  readers.Extra
	// The user answered the call's question: the result's arguments hold the answers,
	// and the model's arguments don't.
	isAnswered bool
	wording    bool // only the sentence and the next lines show that the call was refused
}

// rank is the kind of a result. If a call has several results, the one with the highest
// rank is used.
type rank int

const (
	skipped rank = iota // not asked about, because an earlier call was refused
	marked              // an interruption's marker in place of a result
	ran                 // the tool's output
	denied              // refused
)

// The agent's fixed texts (FORMAT.md §4.2, §5).
const (
	deniedPlain  = "Error: Tool execution was denied by user."
	deniedReason = "Tool use rejected with user message:"
	skippedText  = "Error: Tool execution was skipped due to previous tool denial."
	cancelled    = "Tool execution was canceled by user."
)

// toolResult reads a result of either shape (FORMAT.md §3.1).
func (l *log) toolResult(e *entry, v *fastjson.Value, id string) {
	r := &result{native: id, at: e}
	body := v.Get("result")
	output, images := outputOf(body)
	display := body.Get("returnDisplay")
	if output == "" && display != nil && display.Type() == fastjson.TypeString {
		output = readers.Text(display)
	}
	r.ToolResult = tables.ToolResult{ToolUseID: id, Output: output, Status: tables.StatusOK, Timestamp: e.Timestamp}
	r.extra = readers.Extra{}
	r.extra.Images(images)
	r.extra.Flag("truncated", body.GetBool("truncated"))
	c := l.findCall(e, r)
	l.addDisplay(r, c, display, r.extra)
	if agent := cmp.Or(readers.Text(v, "agentId"), readers.Text(body, "metadata", "agentId"), readers.Text(body, "returnDisplay", "agentId")); agent != "" {
		r.SubagentSessionID = "agent-" + agent
	}
	tool := toolName(c, v)
	r.kind = toolKind(tool)
	r.inferOutcome(tool, body.GetBool("isError"), readers.Text(display))
	if c != nil {
		r.setAnswers(c, v.Get("input"))
	}
	e.results = append(e.results, r)
	if r.rank == marked {
		e.marker = r.Output
	}
}

// findCall finds a result's call: in the parent message of the result's line, otherwise
// the last call with the id.
func (l *log) findCall(e *entry, r *result) *call {
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

func toolName(c *call, v *fastjson.Value) string {
	if c != nil {
		return c.ToolName
	}
	return readers.FirstText(v, "toolName", "name")
}

// outputOf returns the model's result: a string, or parts.
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

// addDisplay adds facts from returnDisplay that the output lacks: the diff of an edit,
// and a subagent's statistics.
func (l *log) addDisplay(r *result, c *call, v *fastjson.Value, extra readers.Extra) {
	switch readers.Text(v, "type") {
	case "diff_viewer":
		for name, key := range map[string]string{"absolute_path": "absoluteFilePath", "write_type": "writeType"} {
			extra.Text(name, readers.Text(v, key))
		}
		if c != nil && c.ToolKind == tables.ToolEdit {
			edit := tables.Edit{Path: readers.Text(v, "filePath"), Old: displayText(v.Get("originalContent"), c), New: displayText(v.Get("newContent"), c)}
			c.Edits = func() []tables.Edit { return []tables.Edit{edit} }
		}
	case "agent_result":
		r.DurationMS = readers.Count(v, "stats", "duration")
		for name, key := range map[string]string{"agent_type": "agentType", "agent_status": "status", "agent_stats": "stats"} {
			extra.JSON(name, v.Get(key))
		}
	}
}

// displayText returns a diff's text, or the text of the call's argument that the diff
// names.
func displayText(v *fastjson.Value, c *call) string {
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

// setAnswers keeps the arguments that a result adds to its call or changes: the answers
// to a question, and what the user changed before approving.
func (r *result) setAnswers(c *call, input *fastjson.Value) {
	if input == nil || input.Type() != fastjson.TypeObject {
		return
	}
	if answers := input.Get("answers"); answers != nil && c.ToolKind == tables.ToolQuestion {
		proposed, err := fastjson.Parse(c.Input)
		r.isAnswered = err == nil && !proposed.Exists("answers")
		if r.isAnswered {
			r.Answers = answersOf(input.GetArray("questions"), answers.GetArray())
		}
		if r.Answers == nil {
			r.extra.Set("answers", json.RawMessage(readers.JSON(answers)))
		}
		return
	}
	if changed := readers.JSON(input); changed != c.Input {
		r.extra.Set("input", json.RawMessage(changed))
	}
}

// answersOf pairs questions with the person's answers, a text for a question's text.
func answersOf(questions, answers []*fastjson.Value) []tables.Answer {
	return readers.Answers(questions, func(_ int, q *fastjson.Value, labels []string) []string {
		for _, a := range answers {
			if readers.Text(a, "question") != readers.Text(q, "question") {
				continue
			}
			return readers.SplitAnswer(readers.Text(a, "answer"), q, labels)
		}
		return nil
	})
}

// inferOutcome determines how the call ended, from its result alone.
func (r *result) inferOutcome(tool string, isError bool, display string) {
	text := strings.TrimSpace(r.Output)
	switch {
	case isError && text == deniedPlain:
		r.rank, r.Status = denied, tables.StatusRejected
	case isError && strings.HasPrefix(text, deniedReason):
		r.rank, r.Status = denied, tables.StatusRejected
		r.reason = strings.TrimSpace(text[len(deniedReason):])
	case isError && text == skippedText:
		r.rank, r.Status = skipped, tables.StatusSkipped
	case isError && text == interrupted && display == cancelled:
		r.rank, r.Status = marked, tables.StatusInterrupted
	default:
		r.rank = ran
		r.setRunOutcome(tool, isError, text)
	}
}

const timedOut = "Command execution timed out and was cancelled."

// setRunOutcome reads the result of a tool that ran, or failed to start.
func (r *result) setRunOutcome(tool string, isError bool, text string) {
	if tool == "bash" {
		r.ExitCode = readers.LastExitCode(exitLine, text)
	}
	switch {
	case tool == "bash" && strings.HasPrefix(text, timedOut):
		r.ErrorType = tables.ErrorTimeout
	case r.ExitCode.Value != 0:
		r.ErrorType = tables.ErrorExitCode
	case isError:
		r.ErrorType = errorWords.Type(text)
	case tool == "bash" && signalled.MatchString(text):
		r.ErrorType = tables.ErrorOther
	}
	if r.ErrorType != "" {
		r.Status = tables.StatusError
	}
}

var (
	// Last lines of the shell tool's result.
	exitLine  = pattern.Lazy(`\nExit Code: (-?\d+)\nSignal: `)
	signalled = pattern.Lazy(`\nSignal: SIG[A-Z0-9]+\nBackground PIDs: `)
)

// errorWords maps patterns of a failed result's text to error types.
var errorWords = readers.ErrorWordsOf(
	`^(Tool \S+ not found|Invalid tool parameters|Tool parameters parse failed|new_string must differ)`,
	`(?i)ENOENT|no such file|(file|path|directory) .{0,200}(not found|does not exist)`,
	`(?i)timed? ?out`,
)

// inferRefusals determines which results are refusals. No field marks a refusal: a failed
// result holds a sentence, like a tool's own error. The sentence is trusted if no tool
// can have written it, or if Neovate Code then acted as it does only after a refusal.
func (l *log) inferRefusals() {
	answered, typedNext := map[*entry]bool{}, map[*entry]bool{}
	for _, e := range l.entries {
		if e.parent == nil || e.ParentUUID == "" || e.ParentUUID != e.parent.UUID {
			continue
		}
		answered[e.parent] = answered[e.parent] || e.role == "assistant"
		typedNext[e.parent] = typedNext[e.parent] || e.Kind == tables.KindPrompt || e.Kind == tables.KindCommand
	}
	for _, e := range l.entries {
		for _, r := range e.results {
			switch {
			case r.rank != denied:
				continue
			case r.hasNoReason() && answered[e]: // a refusal without a reason ends the turn, in all versions
				r.markClaim()
				continue
			case r.isOwnText(), e.hasSkippedAfterRefusal():
			case r.hasNoReason() && typedNext[e]:
				r.wording = true // the sentence may be a tool's own, before a turn that ended for another reason: decided_by is unknown
			default:
				r.markClaim()
				continue
			}
			e.endsTurn = e.endsTurn || r.reason == ""
		}
	}
}

// hasNoReason reports whether a refusal has no reason.
func (r *result) hasNoReason() bool { return strings.TrimSpace(r.Output) == deniedPlain }

// isOwnText reports whether the errors of a result's tool are Neovate Code's own words:
// no tool server, site or subagent can have written them.
func (r *result) isOwnText() bool {
	switch r.kind {
	case tables.ToolEdit, tables.ToolCommand, tables.ToolRead, tables.ToolSearch, tables.ToolPlan, tables.ToolQuestion:
		return true
	}
	return false
}

// hasSkippedAfterRefusal reports whether the line has one refusal and calls that Neovate
// Code skipped because of it (0.26 on).
func (e *entry) hasSkippedAfterRefusal() bool {
	denials, skips := 0, 0
	for _, r := range e.results {
		switch {
		case r.rank == denied:
			denials++
		case r.rank == skipped && r.isOwnText():
			skips++
		}
	}
	return denials == 1 && skips > 0
}

// markClaim turns a result into an error: it says that the call was refused, but the tool
// wrote that.
func (r *result) markClaim() {
	r.rank, r.reason = ran, ""
	r.Status, r.ErrorType = tables.StatusError, tables.ErrorOther
	r.extra.Set("claimed_denial", true)
}

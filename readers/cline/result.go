package cline

import (
	"encoding/json"
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/internal/pattern"
	"hindsql/readers"
	"hindsql/tables"
)

// result is the result of a call.
type result struct {
	tables.ToolResult
	at         *entry // with the result
	call       *call  // nil if the file lacks the call
	tool       string
	refusal    *refusal
	reason     string // the user's words in a refusal
	answered   string // the user's answer to a question
	isStopped  bool   // the call was stopped while it ran
	marker     string // Cline's words about the stop
	extra      readers.Extra
	granted    bool    // the user was asked, and the call ran
	confidence float64 // confidence of the user's decision; 0 means 1
}

// toolResult reads a tool_result block (FORMAT.md §3.2).
func (s *session) toolResult(e *entry, v *fastjson.Value) {
	r := &result{at: e, extra: readers.Extra{}}
	id := readers.Text(v, "tool_use_id")
	r.ToolResult = tables.ToolResult{ToolUseID: id, Status: tables.StatusOK, Timestamp: e.Timestamp}
	r.tool = readers.Text(v, "name")
	if c := s.calls[id]; c != nil && id != "" {
		r.call, r.ToolUseID, r.tool = c, c.ToolUseID, c.ToolName
		c.result = r
	}
	content := v.Get("content")
	failed := readers.Bool(v, "is_error")
	switch {
	case content == nil:
	case content.Type() == fastjson.TypeString:
		r.readText(readers.Text(content), failed)
	case content.Type() == fastjson.TypeArray:
		r.readList(content.GetArray(), failed)
	default:
		r.Output = readers.JSON(content)
		r.setError(failed, r.Output)
	}
	e.results = append(e.results, r)
}

// setError sets the status of a failed call by the words of the error.
func (r *result) setError(failed bool, words string) {
	if failed {
		r.Status, r.ErrorType = tables.StatusError, errorType(words)
	}
}

// readText reads a result that is a string: the tool's words, or an object as JSON.
func (r *result) readText(text string, failed bool) {
	r.Output = text
	var v *fastjson.Value
	if isObject(text) {
		v, _ = fastjson.Parse(text) // a text that is no JSON is a tool's own
	}
	object := v.GetObject()
	switch {
	case failed:
		words := text
		if object != nil && object.Len() == 1 && readers.Is(v.Get("error"), fastjson.TypeString) {
			words = readers.Text(v, "error")
		}
		r.Output = words
		r.setError(true, words)
		r.inferRefusal(words)
	case object == nil:
		r.readPlainText(text)
	case readers.Is(v.Get("success"), fastjson.TypeTrue), readers.Is(v.Get("success"), fastjson.TypeFalse):
		r.readList([]*fastjson.Value{v}, false)
	case r.tool == "spawn_agent":
		r.readSubagent(v)
	default:
		r.readPlainText(text)
	}
}

// maxObject is the longest text in bytes that is read as an object of Cline's.
const maxObject = 8 << 20

// isObject reports whether a text begins as an object that Cline writes as a result:
// other tools' objects are not parsed.
func isObject(text string) bool {
	for _, begin := range []string{`{"error":`, `{"query":`, `{"text":`} {
		if strings.HasPrefix(text, begin) {
			return len(text) <= maxObject
		}
	}
	return false
}

// readPlainText handles a text without an error. The answer of a question is such a text.
func (r *result) readPlainText(text string) {
	if toolKind(r.tool) == tables.ToolQuestion {
		r.setAnswer(text)
	}
}

// readSubagent reads the end of a subagent (FORMAT.md §8).
func (r *result) readSubagent(v *fastjson.Value) {
	if !readers.Is(v.Get("text"), fastjson.TypeString) {
		return
	}
	r.Output = readers.Text(v, "text")
	if reason := readers.Text(v, "finishReason"); reason != "" {
		r.extra.Set("finish_reason", reason)
		if reason == childAborted {
			r.isStopped, r.marker = true, reason
		}
	}
	r.extra.Int("iterations", readers.Int(v, "iterations"))
	if usage := v.Get("usage"); usage != nil {
		r.extra.Set("usage", json.RawMessage(readers.JSON(usage)))
	}
}

// readList reads a result that is a list: operations of a tool, each with its own
// success, or texts and images.
func (r *result) readList(items []*fastjson.Value, failed bool) {
	var texts, errors []string
	var images []readers.Image
	for _, item := range items {
		switch {
		case item.Exists("success") || item.Exists("query"):
			texts = append(texts, r.readOperation(item, len(items) > 1, &errors))
		case readers.Text(item, "type") == "text":
			texts = append(texts, readers.Text(item, "text"))
		case readers.Text(item, "type") == "image":
			images = append(images, imageOf(item))
		case item.Type() == fastjson.TypeString:
			texts = append(texts, readers.Text(item))
		default:
			texts = append(texts, readers.JSON(item))
		}
	}
	r.extra.Images(images)
	r.Output = strings.Join(texts, "\n")
	r.setError(failed || len(errors) > 0, strings.Join(append(errors, ""), "\n"))
	if failed && len(errors) == 0 {
		r.ErrorType = errorType(r.Output)
	}
}

// readOperation returns the text of one operation, and records its error, exit code or
// stop. If a call has several, each begins with its command or path.
func (r *result) readOperation(v *fastjson.Value, several bool, errors *[]string) string {
	text, failure := r.readPrinted(v.Get("result")), readers.Text(v, "error")
	if several {
		text = strings.TrimSuffix(readers.Text(v, "query")+"\n"+text, "\n")
	}
	if readers.Bool(v, "success") || failure == "" && !readers.Is(v.Get("success"), fastjson.TypeFalse) {
		return text
	}
	*errors = append(*errors, failure)
	if r.tool == "run_commands" {
		if m := exited.FindStringSubmatch(failure); m != nil && !r.ExitCode.OK {
			r.ExitCode = readers.ExitCode(m[1], 64)
		}
		if failure == aborted {
			r.isStopped, r.marker = true, aborted
		}
	}
	if failure != "" && !strings.Contains(text, failure) {
		text = strings.TrimPrefix(text+"\n"+failure, "\n")
	}
	return text
}

// readPrinted returns the text of an operation's result: a string, or blocks.
func (r *result) readPrinted(v *fastjson.Value) string {
	if readers.IsNull(v) {
		return ""
	}
	if v.Type() == fastjson.TypeString {
		return readers.Text(v)
	}
	inner := &result{tool: r.tool, extra: readers.Extra{}}
	if v.Type() != fastjson.TypeArray {
		return readers.JSON(v)
	}
	inner.readList(v.GetArray(), false)
	if images := inner.extra["images"]; images != nil {
		r.extra.Set("images", images)
	}
	return inner.Output
}

// Cline's words about a command's end (FORMAT.md §3.2, §5).
const aborted = "Command failed: Command was aborted"

// childAborted is the end of a subagent that was stopped with its parent.
const childAborted = "aborted"

var (
	exited   = pattern.Lazy(`^Command exited with code (\d{1,9})$`)
	timedOut = pattern.Lazy(`timed out after \d+ ?ms`)
	noFile   = pattern.Lazy(`ENOENT|[Nn]o such file|[Ff]ile not found`)
	badCall  = pattern.Lazy(`^(?:Tool call \S+ was rejected before execution:|Unknown tool: |✖ |Invalid input)`)
)

// errorType returns why a call failed, by the words of its error.
func errorType(words string) string {
	words = strings.TrimSuffix(strings.TrimSpace(words), "\n")
	first, _, _ := strings.Cut(words, "\n")
	switch {
	case badCall.MatchString(words):
		return tables.ErrorInvalidCall
	case exited.MatchString(first):
		return tables.ErrorExitCode
	case timedOut.MatchString(words):
		return tables.ErrorTimeout
	case noFile.MatchString(words):
		return tables.ErrorNotFound
	}
	return tables.ErrorOther
}

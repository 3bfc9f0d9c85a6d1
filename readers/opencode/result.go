package opencode

import (
	"encoding/json"
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// readResult reads the result of a call (FORMAT.md §4). A waiting or running call has no
// result yet and may never get one.
func (c *session) readResult(t *call, state *fastjson.Value) {
	t.result = tables.ToolResult{ToolUseID: t.ToolUseID, Timestamp: readers.Time(state.Get("time", "end"))}
	t.readTimes(state)
	metadata := state.Get("metadata")
	if t.ToolKind == tables.ToolAgent {
		t.result.SubagentSessionID = readers.FirstText(metadata, "sessionId", "sessionID")
	}
	switch t.state {
	case "completed":
		t.setCompleted(state, metadata)
	case "error":
		t.result.Output = readers.Text(state, "error")
		t.errorText = strings.TrimPrefix(t.result.Output, oldPrefix)
		t.result.Status, t.result.ErrorType = tables.StatusError, errorType(t.errorText)
		t.printed = strings.TrimSpace(readers.Text(metadata, "output")) // of a command stopped while running
	default:
		t.Open = true
		if t.state != "pending" && t.state != "running" {
			c.kinds.Count("content/tool "+t.state, false, c.version, t.Timestamp)
		}
	}
	t.addExtra(state, metadata)
}

// readTimes reads when the call began and ended. The duration includes the wait for
// permission.
func (t *call) readTimes(state *fastjson.Value) {
	start, end := readers.Int(state, "time", "start"), readers.Int(state, "time", "end")
	if end.OK && end.Value > 0 && end.Value <= readers.LastMillis {
		t.ended = end.Value
		if start.OK && start.Value > 0 && start.Value <= end.Value {
			t.result.DurationMS = tables.Some(end.Value - start.Value)
		}
	}
}

// addExtra keeps facts in extra that only opencode and Kilo record.
func (t *call) addExtra(state, metadata *fastjson.Value) {
	if title := readers.Text(state, "title"); title != "" && title != t.Command {
		t.extra.Set("title", title)
	}
	if at := readers.Time(state.Get("time", "compacted")); !at.IsZero() {
		t.extra.Set("output_compacted", true)
	}
	t.extra.Flag("truncated", metadata.GetBool("truncated"))
	if answers := metadata.Get("answers"); answers != nil && t.ToolKind == tables.ToolQuestion {
		t.result.Answers = answersOf(state.GetArray("input", "questions"), answers.GetArray())
		if t.result.Answers == nil {
			t.extra.Set("answers", json.RawMessage(readers.JSON(answers)))
		}
	}
	for _, file := range state.GetArray("attachments") {
		list, _ := t.extra["attachments"].([]any)
		t.extra.Set("attachments", append(list, attachment(file)))
	}
}

// answersOf pairs questions with the person's answers (FORMAT.md §4): a list of texts
// for each question, labels and the person's own words.
func answersOf(questions, answers []*fastjson.Value) []tables.Answer {
	return readers.Answers(questions, func(at int, _ *fastjson.Value, _ []string) []string {
		if at >= len(answers) {
			return nil
		}
		return readers.Texts(answers[at].GetArray())
	})
}

// setCompleted sets the end of a call that ran. The tool name "invalid" stands for a
// call that opencode could not carry out.
func (t *call) setCompleted(state, metadata *fastjson.Value) {
	t.result.Output, t.result.Status = readers.Text(state, "output"), tables.StatusOK
	if t.ToolName == "invalid" {
		t.result.Status, t.result.ErrorType = tables.StatusError, tables.ErrorInvalidCall
	}
	if t.ToolKind != tables.ToolCommand {
		return
	}
	exit := metadata.Get("exit")
	t.result.ExitCode = readers.Count(metadata, "exit")
	switch words := ownWords(t.result.Output); {
	case exit != nil && exit.Type() == fastjson.TypeNull && strings.Contains(words, abortedCommand):
		if t.printed = strings.TrimSpace(t.result.Output[:strings.LastIndex(t.result.Output, words)]); t.printed == noOutput {
			t.printed = ""
		}
		t.markInterrupted()
	case t.result.ExitCode.OK && t.result.ExitCode.Value == 0:
	case strings.Contains(words, timedOut):
		t.result.Status, t.result.ErrorType = tables.StatusError, tables.ErrorTimeout
	case t.result.ExitCode.OK:
		t.result.Status, t.result.ErrorType = tables.StatusError, tables.ErrorExitCode
	}
}

// markInterrupted marks the call as stopped while waiting or running.
func (t *call) markInterrupted() { t.result.Status, t.result.ErrorType = tables.StatusInterrupted, "" }

const (
	oldPrefix      = "Error: " // before an error's text, up to version 1.1
	abortedText    = "Tool execution aborted"
	abortedCommand = "User aborted the command"
	noOutput       = "(no output)"
	timedOut       = "tool terminated command after exceeding timeout"
)

// ownWords returns the words that opencode itself adds after a command's output, in a
// metadata element; empty if the output doesn't end with one. A command may print the
// same element, so only the last element is used.
func ownWords(output string) string {
	for _, name := range []string{"shell_metadata", "bash_metadata"} {
		if body, ends := strings.CutSuffix(strings.TrimRight(output, "\n"), "\n</"+name+">"); ends {
			if at := strings.LastIndex(body, "<"+name+">\n"); at >= 0 {
				return body[at:]
			}
		}
	}
	return ""
}

// errorType classifies a failed call by the beginning of the program's error text.
func errorType(text string) string {
	switch {
	case strings.HasPrefix(text, "File not found"):
		return tables.ErrorNotFound
	case text == abortedText, // of a message that nobody stopped: the arguments were cut off
		strings.HasPrefix(text, "The ") && strings.Contains(text[:min(len(text), 200)], " tool was called with invalid arguments"):
		return tables.ErrorInvalidCall
	}
	return tables.ErrorOther
}

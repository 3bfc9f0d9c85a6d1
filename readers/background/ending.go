// Package background reads the notification with which Claude Code and Qwen Code report
// the end of a call that ran in the background (readers/claude/FORMAT.md §4.6,
// readers/qwen/FORMAT.md §8).
package background

import (
	"strings"
	"time"

	"hindsql/internal/pattern"
	"hindsql/tables"
)

// Ending is the end of a call in the background.
type Ending struct {
	ToolUseID string
	Status    string // a Status constant of package tables
	Summary   string // the program's sentence, which quotes the call's description
}

// statuses maps the words of a notification to how the call ended. A notification with
// another word, or with none, ends nothing.
var statuses = map[string]string{
	"completed": tables.StatusOK, "failed": tables.StatusError,
	"killed": tables.StatusInterrupted, "stopped": tables.StatusInterrupted, "cancelled": tables.StatusInterrupted,
}

var (
	callTag   = pattern.Lazy(`<tool-use-id>([^<]+)</tool-use-id>`)
	statusTag = pattern.Lazy(`<status>([^<]+)</status>`)
)

// IsNotification reports whether a text has the form of a notification. The caller has to
// know that the program wrote the text.
func IsNotification(text string) bool { return strings.HasPrefix(text, "<task-notification>") }

// Parse returns the end that a notification reports. Words of others, such as a
// description or an agent's answer, begin at the summary: what follows decides nothing.
func Parse(text string) (e Ending, ok bool) {
	head, rest, _ := strings.Cut(text, "<summary>")
	id, word := callTag.FindStringSubmatch(head), statusTag.FindStringSubmatch(head)
	if !IsNotification(text) || id == nil || word == nil || statuses[word[1]] == "" {
		return e, false
	}
	e = Ending{ToolUseID: id[1], Status: statuses[word[1]]}
	e.Summary, _, _ = strings.Cut(rest, "</summary>")
	return e, true
}

// Apply gives the result of the call, which only reported its launch, the status and time of
// the end. It returns false for a result that is no launch: the call failed, ended in the
// foreground, with a duration, or has ended before.
func (e Ending) Apply(result *tables.ToolResult, at time.Time) bool {
	if result == nil || result.InBackground || result.Status != tables.StatusOK || result.DurationMS.OK {
		return false
	}
	result.Status, result.Timestamp, result.InBackground = e.Status, at, true
	if e.Status == tables.StatusError {
		result.ErrorType = tables.ErrorOther
	}
	return true
}

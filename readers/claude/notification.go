package claude

import (
	"strings"

	"hindsql/internal/pattern"
	"hindsql/readers"
	"hindsql/tables"
)

// endingStatuses maps the statuses of a notification to how the call ended (FORMAT.md
// §4.6). A notification with another status, or with none, ends nothing.
var endingStatuses = map[string]string{
	"completed": tables.StatusOK, "failed": tables.StatusError,
	"killed": tables.StatusInterrupted, "stopped": tables.StatusInterrupted,
}

const notificationTag = "<task-notification>"

var (
	notifiedID     = pattern.Lazy(`<tool-use-id>([^<]+)</tool-use-id>`)
	notifiedStatus = pattern.Lazy(`<status>([^<]+)</status>`)
	notifiedCode   = pattern.Lazy(`^.*" (?:completed \(exit code (-?\d+)(?::[^"]*)?\)|(?:failed with exit code|script failed \(exit|ended without producing output \(exit) (-?\d+)\)?)$`)
)

// isNotification reports whether Claude Code wrote a line to notify of a task's end: fields
// beside the text say so. The same text may be typed, also into the queue.
func isNotification(r *record) bool {
	by := typedBy(r)
	return by == "task-notification" || by == "task_notification" || string(r.GetStringBytes("attachment", "commandMode")) == "task-notification"
}

// handleNotification handles the end of a command or an agent in the background. The result
// of its call, which only reported the launch, takes the end's status and time. Words of
// others, such as a description or an agent's answer, begin at the summary.
func (t *transcript) handleNotification(r *record, text string) {
	head, summary, _ := strings.Cut(text, "<summary>")
	if !strings.HasPrefix(head, notificationTag) || !isNotification(r) {
		return
	}
	id, ended := notifiedID.FindStringSubmatch(head), notifiedStatus.FindStringSubmatch(head)
	if id == nil || ended == nil {
		return
	}
	c, status := t.call(id[1]), endingStatuses[ended[1]]
	e := c.result
	if status == "" || e == nil || e.InBackground || e.Status != tables.StatusOK || e.DurationMS.OK {
		return // the call ended before, or in the foreground
	}
	e.Status, e.Timestamp, e.InBackground = status, r.at, true
	if c.kind == tables.ToolCommand && status != tables.StatusInterrupted {
		summary, _, _ = strings.Cut(summary, "</summary>")
		if code := notifiedCode.FindStringSubmatch(summary); code != nil {
			e.ExitCode = readers.ExitCode(code[1]+code[2], 32)
		} else if status == tables.StatusOK && isShell(c.name) {
			e.ExitCode = tables.Some[int64](0)
		}
	}
	if status == tables.StatusError {
		e.ErrorType = errorType("", e.ExitCode, *c)
	}
}

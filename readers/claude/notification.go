package claude

import (
	"hindsql/internal/pattern"
	"hindsql/readers"
	"hindsql/readers/background"
	"hindsql/tables"
)

var notifiedCode = pattern.Lazy(`(?s)^.*" (?:completed \(exit code (-?\d+)(?::[^"]*)?\)|(?:failed with exit code|script failed \(exit|ended without producing output \(exit) (-?\d+)\)?)$`)

// isNotification reports whether Claude Code wrote a line to notify of a task's end: fields
// beside the text say so. The same text may be typed, also into the queue.
func isNotification(r *record) bool {
	by := typedBy(r)
	return by == "task-notification" || by == "task_notification" || string(r.GetStringBytes("attachment", "commandMode")) == "task-notification"
}

// handleNotification handles the end of a command or an agent in the background (FORMAT.md
// §4.6).
func handleNotification(r *record, text string, calls map[string]*call) {
	if !background.IsNotification(text) || !isNotification(r) {
		return
	}
	end, _ := background.Parse(text)
	c := calls[end.ToolUseID]
	if c == nil || !end.Apply(c.result, r.at) {
		return
	}
	e := c.result
	if c.kind == tables.ToolCommand && e.Status != tables.StatusInterrupted {
		if code := notifiedCode.FindStringSubmatch(end.Summary); code != nil {
			e.ExitCode = readers.ExitCode(code[1]+code[2], 32)
		} else if e.Status == tables.StatusOK && isShell(c.name) {
			e.ExitCode = tables.Some[int64](0)
		}
	}
	if e.Status == tables.StatusError {
		e.ErrorType = errorType("", e.ExitCode, *c)
	}
}

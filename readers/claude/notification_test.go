package claude

import (
	"fmt"
	"strings"
	"testing"

	"hindsql/readers/readertest"
)

// launched begins a log with a call in the background.
var launched = strings.ReplaceAll(claudeLog("2.1.330", claudeGo, claudeCall("Bash", `{"command":"make serve","run_in_background":true}`),
	claudeResult(`"Command running in background with ID: b0"`, false, `{"stdout":"","backgroundTaskId":"b0"}`)), `"t1"`, `"t0"`)

// TestForgedNotification: a stranger's text that looks like a notification ends no call. A
// line that only Claude Code can write ends the call.
func TestForgedNotification(t *testing.T) {
	words := func(status string) string {
		return "<task-notification>\n<task-id>b0</task-id>\n<tool-use-id>t0</tool-use-id>\n<status>" + status + "</status>\n<summary>Background command \"make\n serve\" " + map[bool]string{true: "completed (exit code 9)", false: "failed with exit code 9"}[status == "completed"] + "</summary>\n</task-notification>"
	}
	ended := func(log string) string {
		c := readertest.RowsOf(Reader, "projects/x/5e550001-0000-4000-8000-000000000001.jsonl", launched+log)["tool_calls"][0]
		return fmt.Sprintf("%v %v %v %v", c["tool_use_id"], c["status"], c["exit_code"], c["duration_ms"])
	}
	const open = "t0 ok <nil> 1000"
	for _, status := range []string{"failed", "killed", "completed"} {
		for _, f := range claudeForgeries() {
			if got := ended(f.Log(words(status))); got != open {
				t.Errorf("%s, %s: %s is believed: %s", f.Carrier, f.As, status, got)
			}
		}
		for _, queued := range []string{"enqueue", "dequeue", "remove"} {
			line := `{"type":"queue-operation","operation":"` + queued + `","timestamp":"2026-03-02T09:01:00.000Z","content":` + quoted(words(status)) + `}` + "\n"
			if got := ended(line); got != open {
				t.Errorf("%s: %s is believed: %s", queued, status, got)
			}
		}
	}
	for want, line := range map[string]claudeLine{
		"t0 error 9 6000":           userLine(quoted(words("failed")), `,"origin":{"kind":"task-notification"}`),
		"t0 interrupted <nil> 6000": userLine(quoted(words("killed")), `,"turnOrigin":"task_notification"`),
		"t0 ok 9 6000":              {"attachment", `"attachment":{"type":"queued_command","commandMode":"task-notification","prompt":[{"type":"text","text":` + quoted(words("completed")) + `}]}`},
	} {
		if got := ended(claudeLog("2.1.330", claudeGo, claudeDone, claudeDone, claudeDone, claudeDone, claudeDone, claudeDone, line)); got != want {
			t.Errorf("%s: %s, want %s", line.fields, got, want)
		}
	}
}

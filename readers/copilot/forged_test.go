package copilot

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"hindsql/readers/readertest"
	"hindsql/tables"
)

// sentences are the wordings that decide a call's end, if its result is marked as
// denied.
var sentences = []string{
	"The user rejected this tool call. User feedback: because", "The user rejected this tool call.",
	"Permission to run this tool was denied due to the following rules: `shell(rm)`",
	"Permission denied because no interactive user response was available.",
	hookDenied + ": because", planNo + " " + planFeedback + "because" + planAgain, "User cancelled the request.", "Plan approved! Exited plan mode.",
	respondedWords + "red", respondedWords + absentWords, "Tool execution was interrupted before a result was recorded.", "Session aborted", "abort: user_initiated", "<shellId: 0 completed with exit code 3>",
}

func quoted(text string) string {
	data, _ := json.Marshal(text)
	return string(data)
}

// loadResult returns the rows of a session in which one call got the result.
func loadResult(tool, result string) map[string][]tables.Row {
	n := 0
	line := func(kind, data string) string {
		n++
		return fmt.Sprintf(`{"type":%q,"data":%s,"id":"e%d","timestamp":"2026-11-21T09:00:0%d.000Z","parentId":null}`+"\n", kind, data, n, n)
	}
	log := line("user.message", `{"content":"go"}`) +
		line("assistant.message", fmt.Sprintf(`{"content":"","apiCallId":"a","toolRequests":[{"toolCallId":"c","name":%q,"arguments":{}}]}`, tool)) +
		line("tool.execution_start", fmt.Sprintf(`{"toolCallId":"c","toolName":%q,"arguments":{}}`, tool)) +
		line("tool.execution_complete", `{"toolCallId":"c",`+result+`}`) +
		line("assistant.message", `{"content":"Done.","apiCallId":"b","toolRequests":[]}`)
	return readertest.RowsOf(Reader, "session-state/s/events.jsonl", log)
}

// TestForged puts sentences of refusals, grants and stops into the outputs of tools.
// The outputs must become no refusal, grant, stop or reason.
func TestForged(t *testing.T) {
	t.Parallel()
	for _, words := range sentences {
		for _, tool := range []string{"bash", "view", "edit", "grep", "web_fetch", "task", "github-mcp-server-get", "later_tool"} {
			for _, result := range []string{
				`"success":true,"result":{"content":` + quoted(words) + `}`,
				`"success":true,"result":{"content":` + quoted("first\n"+words) + `,"detailedContent":` + quoted(words) + `}`,
				`"success":false,"error":{"code":"failure","message":` + quoted(words) + `}`,
				`"success":false,"error":{"message":` + quoted(words) + `}`,
			} {
				rows := loadResult(tool, result)
				c := rows["tool_calls"][0]
				if len(rows["rejections"])+len(rows["interruptions"]) > 0 || c["decision"] != nil || c["status"] == tables.StatusRejected || c["status"] == tables.StatusDenied {
					t.Errorf("%s %s: %v %v %v", tool, result, c, rows["rejections"], rows["interruptions"])
				}
				if tool != "bash" && c["exit_code"] != nil {
					t.Errorf("%s %s: exit code %v", tool, result, c["exit_code"])
				}
			}
		}
	}
}

// TestDenials checks refusals that only the event at a call's end records. Each
// condition is tested with a result that fulfils the condition, and with a similar
// result that doesn't.
func TestDenials(t *testing.T) {
	t.Parallel()
	denial := func(text string) string {
		return `"success":false,"error":{"code":"denied","message":` + quoted(text) + `}`
	}
	ok := func(text, more string) string {
		return `"success":true,"result":{"content":` + quoted(text) + `}` + more
	}
	telemetry := func(action string) string {
		return `,"toolTelemetry":{"properties":{"elicitation_action":"` + action + `"}}`
	}
	for _, test := range []struct {
		tool, result string
		want         string // by whom, evidence and reason; empty for no refusal
	}{
		{"bash", denial(sentences[0]), "user recorded because"},
		{"bash", denial(sentences[1]), "user recorded <nil>"},
		{"bash", denial(sentences[2]), "rule recorded <nil>"},
		{"bash", denial(sentences[3]), "rule recorded <nil>"},
		{"bash", denial(sentences[4]), "hook recorded because"},
		{"bash", denial("in words to come"), "unknown recorded <nil>"},
		{"bash", denial("a tool said: The user rejected this tool call"), "unknown recorded <nil>"},
		{planTool, ok(sentences[5], ""), "user wording because"},
		{planTool, ok(planNo+" "+planFeedback+planCanned+planAgain, ""), "user wording <nil>"},
		{planTool, `"success":false,"error":{"code":"rejected","message":` + quoted(planNo+" "+planFeedback+planCanned+planAgain) + `}`, "user recorded <nil>"},
		{planTool, ok("Plan approved! "+planNo, ""), ""},
		{questionTool, ok("User cancelled the request.", telemetry("cancel")), "user recorded <nil>"},
		{questionTool, ok("no", telemetry("decline")), "user recorded <nil>"},
		{questionTool, ok("User cancelled the request.", ""), "user wording <nil>"},
		{questionTool, ok("User responded: User cancelled the request.", ""), ""},
		{questionTool, ok("User cancelled the request.", telemetry("accept")), ""},
	} {
		rows := loadResult(test.tool, test.result)
		got := ""
		for _, r := range rows["rejections"] {
			got += fmt.Sprintf("%v %v %v", r["decided_by"], r["evidence"], r["reason"])
		}
		if got != test.want {
			t.Errorf("%s %s: %q, want %q", test.tool, test.result, got, test.want)
		}
	}
}

// TestExitCodes: only the last line of a command's output can hold the exit code,
// because Copilot CLI writes it. The command itself may have printed similar lines
// before.
func TestExitCodes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		result string
		want   any
	}{
		{`"result":{"content":"<shellId: 0 completed with exit code 3>\n<shellId: 0 completed with exit code 0>"}`, int64(0)},
		{`"result":{"content":"out\n<shellId: cmd-x completed with exit code 3>"}`, int64(3)},
		{`"result":{"content":"<shellId: 0 completed with exit code 3>\nmore"}`, nil},
		{`"result":{"content":"x"},"shellExecution":{"exitCode":7}`, int64(7)},
		{`"result":{"content":"<shellId: 0 completed with exit code 3>"},"shellExecution":{"exitCode":0}`, int64(0)},
		{`"result":{"content":"x"},"toolTelemetry":{"metrics":{"exit_code":2}}`, int64(2)},
		{`"result":{"content":"` + strings.Repeat("x", 300) + `<shellId: 0 completed with exit code 99999999999>"}`, nil},
	} {
		c := loadResult("bash", `"success":true,`+test.result)["tool_calls"][0]
		if c["exit_code"] != test.want {
			t.Errorf("%s: %v, want %v", test.result, c["exit_code"], test.want)
		}
		if failed := test.want != nil && test.want != int64(0); (c["status"] == tables.StatusError) != failed {
			t.Errorf("%s: status %v", test.result, c["status"])
		}
	}
}

package gemini

import (
	"encoding/json"
	"fmt"
	"testing"

	"hindsql/readers/readertest"
	"hindsql/tables"
)

// sentences returns all wordings that decide a call's end, or mark a stop.
func sentences() []string {
	list := []string{
		commandCut + ". There was no output before it was cancelled.", commandTimedOut, planRefused,
		planFeedback + "because", planDismissed, questionDismissed, `{"answers":{"0":"yes"}}`, "Model stream ended without a finish reason.", requestCut, requestCutOther, responseWasCut, failedHint,
		maskStart + "\n[Operation Cancelled] Reason: User denied execution.\n\n" + maskPath + "x/tool-outputs/y.txt\n" + maskEnd,
	}
	for words := range cancellations {
		list = append(list, operationCancelled+words, words)
	}
	for _, words := range denials {
		list = append(list, "Tool execution "+words+".", `Tool execution for "Shell" `+words+".")
	}
	return list
}

// loadCall returns the rows of a session with one call and the response. Without
// recorded, only the model's history has the call.
func loadCall(t *testing.T, tool, status, response, display string, recorded bool) map[string][]tables.Row {
	t.Helper()
	answer := fmt.Sprintf(`{"functionResponse":{"id":"x","name":%q,"response":%s}}`, tool, response)
	message := func(id, kind, rest string) string {
		return fmt.Sprintf(`{"id":"aaaaaaaa-0000-4000-8000-00000000000%s","timestamp":"2026-08-01T09:00:0%s.000Z","type":%q,%s}`+"\n", id, id, kind, rest)
	}
	log := `{"sessionId":"aaaaaaaa-aaaa-4aaa-8aaa-000000000001","projectHash":"x","startTime":"2026-08-01T09:00:00.000Z"}` + "\n" +
		message("1", "user", `"content":[{"text":"go"}]`)
	if recorded {
		log += message("2", "gemini", fmt.Sprintf(`"content":"","toolCalls":[{"id":"x","name":%q,"args":{},"status":%q,"timestamp":"2026-08-01T09:00:03.000Z","result":[%s],"resultDisplay":%s}]`,
			tool, status, answer, display))
	} else {
		log += message("2", "gemini", fmt.Sprintf(`"content":[{"functionCall":{"id":"x","name":%q,"args":{}}}]`, tool))
	}
	log += message("4", "user", `"content":[`+answer+`]`) + message("5", "gemini", `"content":"Done."`)
	return readertest.RowsOf(Reader, "tmp/p/chats/session-2026-08-01T09-00-aaaaaaaa.jsonl", log)
}

func quoted(text string) string {
	data, _ := json.Marshal(text)
	return string(data)
}

// TestForged puts sentences of refusals and stops into the outputs and errors of tools.
// The reader must make no refusal, no stop and no reason of them.
func TestForged(t *testing.T) {
	n := 0
	for _, tool := range []string{"mcp_files_get", "files__get", "run_shell_command", "read_file", "invoke_agent", "codebase_investigator", "web_fetch"} {
		for _, words := range sentences() {
			for _, output := range []string{words, "Output: " + words + "\nProcess Group PGID: 7", "log:\n" + words} {
				for _, display := range []string{"null", quoted(output), quoted(words), `[[{"text":` + quoted(words) + `}]]`} {
					for _, recorded := range []bool{true, false} {
						n++
						forged(t, tool, loadCall(t, tool, "success", `{"output":`+quoted(output)+`}`, display, recorded), words, recorded)
					}
				}
			}
			if !ownWords[toolKind(tool)] { // their errors are their own words
				forged(t, tool, loadCall(t, tool, "error", `{"error":`+quoted(words)+`}`, quoted(words), true), words, true)
				forged(t, tool, loadCall(t, tool, "", `{"error":`+quoted(words)+`}`, "null", false), words, false)
			}
		}
	}
	if n < 1000 {
		t.Errorf("%d forgeries, which is too few to be all", n)
	}
}

func forged(t *testing.T, tool string, rows map[string][]tables.Row, words string, recorded bool) {
	t.Helper()
	if len(rows["tool_calls"]) != 1 {
		t.Fatalf("%s %q: %d calls", tool, words, len(rows["tool_calls"]))
	}
	for _, row := range append(rows["rejections"], rows["interruptions"]...) {
		confidence, _ := row["confidence"].(float64)
		if row["decided_by"] == tables.ByUser || row["type"] == tables.InterruptedByUser || row["reason"] != nil || confidence > wordingOnly {
			t.Errorf("%s, recorded %v, %q: %v", tool, recorded, words, row)
		}
	}
	if by := rows["tool_calls"][0]["decided_by"]; by == tables.ByUser {
		t.Errorf("%s, recorded %v, %q: decided by the user", tool, recorded, words)
	}
}

// TestShownAtQuestion: a refused call with a display didn't run.
func TestShownAtQuestion(t *testing.T) {
	for _, display := range []string{"null", `"begun"`, `[[{"text":"begun"}]]`} {
		rows := loadCall(t, "run_shell_command", "cancelled", `{"error":"[Operation Cancelled] Reason: User denied execution."}`, display, true)
		if len(rows["rejections"]) != 1 || len(rows["interruptions"]) != 0 || rows["tool_calls"][0]["status"] != tables.StatusRejected {
			t.Errorf("%s: %v %v", display, rows["rejections"], rows["interruptions"])
		}
	}
}

// TestStamped gives calls the status "cancelled", which only Gemini CLI can write. The
// same sentences must now make a refusal or a stop.
func TestStamped(t *testing.T) {
	for words, want := range cancellations {
		rows := loadCall(t, "mcp_files_get", "cancelled", `{"error":`+quoted(operationCancelled+words)+`}`, "null", true)
		if got := len(rows["rejections"]) == 1 && rows["rejections"][0]["decided_by"] == tables.ByUser; got != (want.by == tables.ByUser) {
			t.Errorf("%q: %v", words, rows["rejections"])
		}
		if len(rows["rejections"])+len(rows["interruptions"]) != 1 {
			t.Errorf("%q: %v %v", words, rows["rejections"], rows["interruptions"])
		}
	}
}

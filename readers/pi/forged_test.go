package pi_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"hindsql/readers"
	"hindsql/readers/pi"
	"hindsql/readers/readertest"
	"hindsql/tables"
)

// sentences returns each sentence that decides a call's end, with the tool's name.
func sentences(tool string) []string {
	return []string{
		"Blocked by user", "Dangerous command blocked (no UI for confirmation)", "Dangerous command blocked (no UI)",
		"Tool execution was blocked", "Tool execution was blocked by an extension",
		"Tool call denied by user: " + tool,
		fmt.Sprintf("Tool %q is blocked by user policy.\nTo allow: remove it", tool),
		fmt.Sprintf("Tool %q requires approval but no interactive UI available.\nOptions:", tool),
		"Command aborted", "Operation aborted", "Request was aborted", "Skipped due to queued user message.",
		"Command timed out after 3 seconds",
		"Denied by user: use staging, not production", "Rejected by user", `Path ".env" is protected`, "Extension failed, blocking execution: no rules",
		"Script aborted: This operation was aborted",
	}
}

// ended returns the rows of a session in which one call of a tool got a result, and the
// model went on.
func ended(r *readers.Reader, tool, text string, failed bool) map[string][]tables.Row {
	quoted, _ := json.Marshal(text)
	return readertest.RowsOf(r, "--p--/2026-01-01T00-00-00-000Z_s.jsonl",
		`{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w"}
{"type":"message","id":"1","parentId":null,"timestamp":"2026-01-01T00:00:01.000Z","message":{"role":"user","content":"go"}}
{"type":"message","id":"2","parentId":"1","timestamp":"2026-01-01T00:00:02.000Z","message":{"role":"assistant","content":[{"type":"toolCall","id":"x","name":"`+tool+`","arguments":{}}],"stopReason":"toolUse"}}
{"type":"message","id":"3","parentId":"2","timestamp":"2026-01-01T00:00:03.000Z","message":{"role":"toolResult","toolCallId":"x","toolName":"`+tool+`","content":[{"type":"text","text":`+string(quoted)+`}],"isError":`+fmt.Sprint(failed)+`}}
{"type":"message","id":"4","parentId":"3","timestamp":"2026-01-01T00:00:04.000Z","message":{"role":"assistant","content":[{"type":"text","text":"Done."}],"stopReason":"stop"}}
`)
}

// A tool's output is data: no sentence in it makes a refusal or a stop.
func TestForged(t *testing.T) {
	for _, r := range []*readers.Reader{pi.Reader, pi.OhMyPi} {
		for _, tool := range []string{"bash", "read", "grep", "edit", "mcp__notes__get", "notes"} {
			for _, words := range sentences(tool) {
				type given struct {
					text   string
					failed bool
				}
				list := []given{{words, false}, {"it says: " + words + ", so", true}, {words + "\nand more", false}}
				if tool == "bash" { // a failed command ends with its tail
					list = append(list, given{words + "\n\n\nCommand exited with code 1", true}, given{words + "\nCommand exited with code 1", true})
				}
				if tool == "mcp__notes__get" || tool == "notes" && r == pi.Reader {
					list = append(list, given{words, true})
				}
				for _, g := range list {
					rows := ended(r, tool, g.text, g.failed)
					call := rows["tool_calls"][0]
					want := tables.StatusOK
					if g.failed {
						want = tables.StatusError
					}
					if skip := g.text == "Skipped due to queued user message." && g.failed; call["status"] != want && !skip || len(rows["rejections"])+len(rows["interruptions"]) > 0 {
						t.Errorf("%s, %s, error %v %q: %v %v %v", r.Agent, tool, g.failed, g.text, call["status"], rows["rejections"], rows["interruptions"])
					}
				}
			}
		}
	}
}

// The same sentences, written by the program itself.
func TestRefusals(t *testing.T) {
	for _, test := range []struct {
		reader           *readers.Reader
		tool, text       string
		status, by, kind any // status of the call, who refused, kind; nil for no refusal
	}{
		{pi.Reader, "bash", "Blocked by user", "rejected", "user", "command"},
		{pi.Reader, "write", "Blocked by user\n", "rejected", "user", "edit"},
		{pi.Reader, "bash", "Dangerous command blocked (no UI for confirmation)", "denied", "hook", "command"},
		{pi.Reader, "edit", "Tool execution was blocked", "denied", "hook", "edit"},
		{pi.Reader, "bash", "Tool call denied by user: bash", "error", nil, nil},
		{pi.Reader, "bash", "Path \"/w/.env\" is protected", "error", nil, nil},
		{pi.OhMyPi, "bash", "Tool call denied by user: bash", "rejected", "user", "command"},
		{pi.OhMyPi, "bash", "Tool call denied by user: write", "error", nil, nil},
		{pi.OhMyPi, "eval", "Tool call denied by user: eval", "denied", "unknown", "other"},
		{pi.OhMyPi, "ast_edit", "Tool call denied by user: ast_edit", "rejected", "user", "edit"},
		{pi.OhMyPi, "bash", "Tool \"bash\" is blocked by tool policy.\nReason: no", "denied", "rule", "command"},
		{pi.OhMyPi, "bash", "Tool \"bash\" requires approval but no interactive UI available.\nOptions:", "denied", "nobody", "command"},
	} {
		rows := ended(test.reader, test.tool, test.text, true)
		if got := rows["tool_calls"][0]["status"]; got != test.status {
			t.Errorf("%s %q: status %v", test.tool, test.text, got)
		}
		var by, kind, evidence, confidence any
		for _, r := range rows["rejections"] {
			by, kind, evidence, confidence = r["decided_by"], r["rejection_type"], r["evidence"], r["confidence"]
		}
		if by != test.by || kind != test.kind || test.by != nil && (evidence != tables.EvidenceWording || confidence != 0.9 || rows["tool_calls"][0]["decision_confidence"] != 0.7) {
			t.Errorf("%s %q: %v %v %v %v", test.tool, test.text, by, kind, evidence, confidence)
		}
	}
}

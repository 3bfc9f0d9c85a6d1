package neovate

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"hindsql/readers/readertest"
	"hindsql/tables"
)

// sentences are all wordings that decide a call's end, or mark a stop.
var sentences = []string{deniedPlain, deniedReason + " because", deniedReason, skippedText, interrupted, cancelled, timedOut, compacted}

func quoted(text string) string {
	data, _ := json.Marshal(text)
	return string(data)
}

// loadResult returns the rows of a session in which one call got the result, followed
// by the lines of then: roles and contents, in pairs.
func loadResult(tool, text, display string, isError bool, then ...string) map[string][]tables.Row {
	line := func(n int, role, content string) string {
		parent := "null"
		if n > 1 {
			parent = fmt.Sprintf(`"u%d"`, n-1)
		}
		return fmt.Sprintf(`{"parentUuid":%s,"uuid":"u%d","role":%q,"content":%s,"type":"message","timestamp":"2026-08-01T09:00:0%d.000Z","sessionId":"aaaaaaaa"}`+"\n",
			parent, n, role, content, n)
	}
	log := line(1, "user", `"go"`) +
		line(2, "assistant", fmt.Sprintf(`[{"type":"tool_use","id":"x","name":%q,"input":{}}]`, tool)) +
		line(3, "tool", fmt.Sprintf(`[{"type":"tool-result","toolCallId":"x","toolName":%q,"input":{},"result":{"llmContent":%s,"returnDisplay":%s,"isError":%v}}]`,
			tool, quoted(text), quoted(display), isError))
	for i := 0; i < len(then); i += 2 {
		log += line(4+i/2, then[i], then[i+1])
	}
	return readertest.RowsOf(Reader, "projects/w/aaaaaaaa.jsonl", log)
}

var wentOn = []string{"assistant", `[{"type":"text","text":"Done."}]`}

// TestForged puts sentences of refusals and stops into the outputs of tools. The reader
// must make no refusal, stop or reason of them.
func TestForged(t *testing.T) {
	for _, words := range sentences {
		shell := "Command: cat a\nDirectory: /w\nStdout: " + words + "\nStderr: " + words + "\nError: (none)\nExit Code: 1\nSignal: (none)\nBackground PIDs: (none)\n"
		for _, test := range []struct {
			tool, text string
			isError    bool
		}{
			{"mcp__files__get", words, false}, {"mcp__files__get", words, true},
			{"read", words, false}, {"grep", words, false},
			{"bash", shell, false}, {"bash", shell, true},
			{"task", words, false}, {"task", words, true}, {"task", "Sub-agent (Explore) failed: " + words, true},
			{"fetch", words, false}, {"fetch", words, true}, {"later_tool", words, true},
		} {
			for _, display := range []string{"", test.text} {
				rows := loadResult(test.tool, test.text, display, test.isError, wentOn...)
				if len(rows["tool_calls"]) != 1 || rows["tool_calls"][0]["decision"] != nil {
					t.Errorf("%s %q: %v", test.tool, words, rows["tool_calls"])
				}
				for _, row := range append(rows["rejections"], rows["interruptions"]...) {
					if row["type"] == tables.InterruptedBySystem && row["evidence"] == tables.EvidenceWording {
						continue // a time limit, of the agent or of the tool
					}
					t.Errorf("%s %q, error %v: %v", test.tool, words, test.isError, row)
				}
			}
		}
	}
}

// TestRefusals checks results with the sentence of a refusal. A result that fulfils the
// conditions must be a refusal. A similar result must be an error.
func TestRefusals(t *testing.T) {
	prompt := []string{"user", `"and now?"`}
	because := deniedReason + " because"
	for _, test := range []struct {
		name, tool, text string
		then             []string
		evidence, reason any // of the rejection; nil for none
	}{
		{"a command", "bash", deniedPlain, prompt, "recorded", nil},
		{"at the end of the file", "bash", deniedPlain, nil, "recorded", nil},
		{"the turn went on", "bash", deniedPlain, wentOn, nil, nil},
		{"a command, with a reason", "bash", because, wentOn, "recorded", "because"},
		{"a server's tool", "mcp__a__b", deniedPlain, prompt, "wording", nil},
		{"a server's tool, at the end of the file", "mcp__a__b", deniedPlain, nil, nil, nil},
		{"a server's tool, the turn went on", "mcp__a__b", deniedPlain, wentOn, nil, nil},
		{"a server's tool, with a reason", "mcp__a__b", because, wentOn, nil, nil},
		{"a server's tool, with a reason, then a prompt", "mcp__a__b", because, prompt, nil, nil},
	} {
		by := map[any]string{tables.EvidenceRecorded: tables.ByUser, tables.EvidenceWording: tables.ByUnknown}[test.evidence]
		rows := loadResult(test.tool, test.text, "", true, test.then...)
		claimed := strings.Contains(fmt.Sprint(rows["tool_calls"][0]["extra"]), "claimed_denial")
		if test.evidence == nil {
			if len(rows["rejections"]) > 0 || !claimed || rows["tool_calls"][0]["status"] != tables.StatusError {
				t.Errorf("%s: %v %v", test.name, rows["rejections"], rows["tool_calls"])
			}
			continue
		}
		if len(rows["rejections"]) != 1 || claimed {
			t.Errorf("%s: %v %v", test.name, rows["rejections"], rows["tool_calls"])
			continue
		}
		if r := rows["rejections"][0]; r["evidence"] != test.evidence || r["reason"] != test.reason || r["decided_by"] != by {
			t.Errorf("%s: %v", test.name, r)
		}
	}
}

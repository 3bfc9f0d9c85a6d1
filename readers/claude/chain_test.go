package claude

import (
	"strings"
	"testing"

	"hindsql/readers/readertest"
)

// TestStrangersWithdrawNothing puts the lines that withdraw a prompt, rewind, or clear a
// person of a stop into texts of strangers. Text is data: all messages stay active, and the
// person's stop stays.
func TestStrangersWithdrawNothing(t *testing.T) {
	for _, words := range []string{
		`{"type":"last-prompt","leafUuid":"00000000-0000-0000-0000-000000000000","explicit":true}`,
		`{"type":"last-prompt","leafUuid":"u0"}`,
		`{"type":"user","planContent":"# Plan"}`,
		"Implement the following plan:\n\n# Plan\n\nread the full transcript at: /x/5e550001-0000-4000-8000-000000000002.jsonl",
		"<pasted_content id=\"0a1f\">\n[Request interrupted by user]\n</pasted_content id=\"0a1f\">",
		"/clear",
	} {
		for as, of := range map[string]claudeLine{
			"typed":       userLine(quoted(words), `,"promptSource":"typed"`),
			"a hook":      {"attachment", `"attachment":{"type":"hook_additional_context","hookEvent":"UserPromptSubmit","content":[` + quoted(words) + `]}`},
			"a result":    claudeResult(quoted(words), false, quoted(words)),
			"a field":     claudeResult(quoted("x"), false, `{"planContent":"x","explicit":true,"leafUuid":null,"type":"last-prompt"}`),
			"an answer":   {"assistant", `"message":{"role":"assistant","id":"m9","model":"x","content":[{"type":"text","text":` + quoted(words) + `}]}`},
			"on its line": userLine(quoted("x\n"+words+"\n"), ""),
		} {
			stop := userLine(`[{"type":"text","text":"[Request interrupted by user]"}]`, `,"sessionId":"5e550001-0000-4000-8000-000000000009"`)
			log := claudeLog("2.1.332", claudeGo, claudeCall("mcp__evil__tool", "{}"), of, stop, userLine(`"and now?"`, `,"promptSource":"typed"`), claudeDone)
			rows := readertest.RowsOf(Reader, "projects/x/5e550001-0000-4000-8000-000000000001.jsonl", log)
			for _, m := range rows["messages"] {
				if m["is_active"] != true {
					t.Errorf("%s: %q: not active: %v", as, words, m)
				}
			}
			if stops := rows["interruptions"]; len(stops) != 1 || stops[0]["type"] != "user" || !strings.HasPrefix(stops[0]["marker"].(string), "[Request") {
				t.Errorf("%s: %q: %v", as, words, stops)
			}
		}
	}
}

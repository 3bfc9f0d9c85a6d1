package claude_test

import (
	"fmt"
	"testing"

	"hindsql/readers/claude"
	"hindsql/readers/readertest"
)

// TestDamageIsLinear tests that repeated or chained lines of a damaged log take no more
// memory a line than other lines.
func TestDamageIsLinear(t *testing.T) {
	user := func(uuid, parent, rest string) string {
		return fmt.Sprintf(`{"type":"user","uuid":%q,"parentUuid":%q,"sessionId":"s","timestamp":"2026-01-01T00:00:00Z","message":{"role":"user","content":"hi"}%s}`, uuid, parent, rest)
	}
	content := func(kind, uuid, id, content string) string {
		return fmt.Sprintf(`{"type":%q,"uuid":%q,"sessionId":"s","timestamp":"2026-01-01T00:00:00Z","message":{"role":%[1]q,"id":%q,"content":[%s]}}`, kind, uuid, id, content)
	}
	for name, line := range map[string]func(i int) string{
		"one uuid": func(int) string { return user("u", "u", "") },
		"a chain":  func(i int) string { return user(fmt.Sprint(i), fmt.Sprint(i-1), "") },
		"a fan":    func(i int) string { return user(fmt.Sprint(i), "0", "") },
		"withdrawn prompts": func(i int) string {
			if i%2 == 0 {
				return `{"type":"last-prompt","leafUuid":null,"explicit":true}`
			}
			return user(fmt.Sprint(i), "0", "")
		},
		"asides": func(i int) string { return user(fmt.Sprint(i), fmt.Sprint(i-1), `,"isMeta":true`) },
		"interruptions": func(i int) string {
			return content("user", fmt.Sprint(i), "", `{"type":"text","text":"[Request interrupted by user]"}`)
		},
		"parts of a message": func(i int) string {
			return content("assistant", fmt.Sprint(i), "m", `{"type":"text","text":"some text of this part"}`)
		},
		"calls of a message": func(i int) string {
			return content("assistant", fmt.Sprint(i), "m", fmt.Sprintf(`{"type":"tool_use","id":"t%d","name":"Bash","input":{"command":"ls"}}`, i))
		},
		"results without a call": func(i int) string {
			return content("user", "u", "", fmt.Sprintf(`{"type":"tool_result","tool_use_id":"t%d","content":"some output"}`, i))
		},
		"boundaries": func(i int) string {
			return fmt.Sprintf(`{"type":"system","subtype":"compact_boundary","uuid":"%d","content":"Conversation compacted","compactMetadata":{"trigger":"auto"}}`, i)
		},
		"retries": func(i int) string {
			return fmt.Sprintf(`{"type":"system","subtype":"api_error","uuid":"%d","parentUuid":"%d","retryAttempt":1}`, i, i-1)
		},
		"pull requests": func(i int) string { return fmt.Sprintf(`{"type":"pr-link","prUrl":"https://example.com/%d"}`, i) },
		"titles":        func(i int) string { return fmt.Sprintf(`{"type":"summary","summary":"%d","leafUuid":"%d"}`, i, i) },
		"no JSON":       func(int) string { return `{"type":"user","` },
	} {
		t.Run(name, func(t *testing.T) { readertest.Linear(t, claude.Reader, "projects/p/s.jsonl", line) })
	}
}

package claudefiles

import "testing"

func TestNamedBy(t *testing.T) {
	t.Parallel()
	for rel, want := range map[string]string{
		"history.jsonl":                                                     "history.jsonl",
		"projects/-home-me/s.jsonl":                                         "s.jsonl",
		"projects/-home-me/agent-a1.jsonl":                                  "agent-a1.jsonl",
		"projects/-home-me/s/subagents/agent-a1.jsonl":                      "s/subagents/agent-a1.jsonl",
		"projects/-home-me/s/subagents/workflows/w/agent-a.jsonl":           "s/subagents/workflows/w/agent-a.jsonl",
		"local-agent-mode-sessions/a/b/local_1/.claude/projects/-x/s.jsonl": "local-agent-mode-sessions/a/b/local_1/.claude/projects/-x/s.jsonl",
	} {
		if got := NamedBy(rel); got != want {
			t.Errorf("%s: %s, want %s", rel, got, want)
		}
	}
}

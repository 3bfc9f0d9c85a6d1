package claude

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hindsql/readers"
	"hindsql/readers/readertest"
)

// TestFind tests that transcripts are found below a ~/.claude and below Claude
// Desktop's data, and no other files with the same ending.
func TestFind(t *testing.T) {
	base := t.TempDir()
	readertest.WriteFiles(t, base,
		"history.jsonl",
		"projects/-w/a.jsonl",
		"projects/-w/a/subagents/agent-b.jsonl",
		"projects/-w/a/subagents/workflows/wf_1/journal.jsonl",
		"projects/-w/a/subagents/agent-b.meta.json",
		"local-agent-mode-sessions/u1/u2/local_1/.claude/projects/-s/c.jsonl",
		"local-agent-mode-sessions/u1/u2/local_1/.claude/projects/-s/c/subagents/agent-d.jsonl",
		"local-agent-mode-sessions/u1/u2/agent/local_2/.claude/projects/-s/e.jsonl",
		"local-agent-mode-sessions/u1/u2/local_1.json",
		"local-agent-mode-sessions/u1/u2/local_1/audit.jsonl",
		"local-agent-mode-sessions/u1/u2/local_1/.claude/projects/-s/audit.jsonl",
		"local-agent-mode-sessions/u1/u2/local_1/uploads/x.jsonl",
		"local-agent-mode-sessions/u1/u2/local_1/outputs/.claude/projects/-s/x.jsonl",
		"local-agent-mode-sessions/skills-plugin/u2/local_3/.claude/projects/-s/x.jsonl",
		"claude-code-sessions/u1/u2/local_4.json",
		"logs/x.jsonl",
	)
	logs, err := Reader.Find([]readers.Place{{Path: base}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, log := range logs {
		got = append(got, strings.TrimSuffix(filepath.Base(log.Path), ".jsonl"))
	}
	slices.Sort(got)
	if diff := cmp.Diff([]string{"a", "agent-b", "agent-d", "c", "e", "history"}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestRoots(t *testing.T) {
	env := map[string]string{"LOCALAPPDATA": "/l", "XDG_CONFIG_HOME": "/x"}
	for os, want := range map[string]string{
		"darwin":  "/h/.claude /x/claude /h/Library/Application Support/Claude",
		"linux":   "/h/.claude /x/claude /x/Claude",
		"windows": "/h/.claude /x/claude /h/AppData/Roaming/Claude /l/Packages/Claude_pzs8sxrjxfjjc/LocalCache/Roaming/Claude",
	} {
		got := Reader.Roots(readers.Host{OS: os, Home: "/h", Getenv: func(name string) string { return env[name] }})
		if filepath.ToSlash(strings.Join(got, " ")) != want {
			t.Errorf("%s: %q", os, got)
		}
	}
}

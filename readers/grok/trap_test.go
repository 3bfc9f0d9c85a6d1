package grok

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hindsql/readers"
	"hindsql/tables"
)

// key stands for a secret. It must be in no row.
const key = "xai-KEY-0123456789"

// TestTraps plants keys in the files beside the logs, and in a log names that lead to
// them. Only the files that FORMAT.md §1 names are opened.
func TestTraps(t *testing.T) {
	home := t.TempDir()
	folder := filepath.Join(home, filepath.FromSlash(madeFolder))
	lay := func(text string, names ...string) {
		t.Helper()
		for _, name := range names {
			file := filepath.Join(home, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	secret := fmt.Sprintf(`{"token":%q,"generated_title":%[1]q,"compacted_history":[{"synthetic_reason":"compaction_meta","content":[{"text":%[1]q}]}]}`+"\n", key)
	lay(secret, "auth.json", "config.toml", "oauth_creds.json", "settings.json", "worktrees.db", "grok.db", "call.log", "01/events.jsonl",
		"sessions/auth.json", "sessions/session_search.sqlite", "sessions/events.jsonl", "sessions/%2Fw/auth.json", "sessions/%2Fw/config.toml",
		madeFolder+"auth.json", madeFolder+"usage.json", madeFolder+"signals.json", madeFolder+"system_prompt.txt", madeFolder+"tool_definitions.json",
		madeFolder+"rewind_points.jsonl", madeFolder+"plan.json", madeFolder+"sub/updates.jsonl", madeFolder+"events.jsonl.bak", "sessions/%2Fw/updates.jsonl")
	m := newMade().prompt("go").addAnswer("I run it.")
	for _, id := range []string{"../../../../auth", "../../../call", `..\..\auth`, "."} {
		m.update("compaction_checkpoint", fmt.Sprintf(`,"checkpoint_id":%q,"checkpoint_file":"../../../auth.json"`, id))
		m.update("auto_compact_completed", `,"tokens_after":1`)
		m.update("tool_call", fmt.Sprintf(`,"toolCallId":%q,"title":"run_terminal_command","rawInput":{"command":"x"}`, id))
	}
	m.call("write", "{}", denied, time.Second).result("failed", block("User rejected the execution for tool `write`"), "", "")
	m.event("turn_ended", `,"outcome":"cancelled","cancellation_category":"mid_turn_abort"`).update("turn_completed", `,"stop_reason":"cancelled"`)
	updates, events, _ := strings.Cut(m.String(), madeEvents)
	lay(updates, madeLog)
	lay(events, madeFolder+eventsFile)
	lay(`{"info":{"cwd":"/w"},"session_kind":"fork","parent_session_id":"../../../01","forked_at":"2026-11-25T00:00:00Z"}`, madeFolder+summaryFile)
	lay(`{"type":"user"}`+"\n", madeFolder+chatFile)
	lay(`{"timestamp":"2026-11-24T10:00:00Z","session_id":"s","prompt":"hello","is_bash":false}`+"\n", "sessions/%2Fw/"+historyFile)

	var opened []string
	reader := *Reader
	reader.Open = func(path string) (io.ReadCloser, error) {
		rel, err := filepath.Rel(folder, path)
		if err != nil {
			t.Fatal(err)
		}
		opened = append(opened, filepath.ToSlash(rel))
		return readers.OpenFile(path)
	}
	logs, err := reader.Find([]readers.Place{{Path: home}})
	if err != nil {
		t.Fatal(err)
	}
	b := tables.NewBatch(nil)
	defer b.Release()
	for _, log := range logs {
		reader.Load(log, tables.Source{Agent: reader.Agent, Path: log.Path}).AppendTo(b)
	}
	calls := 0
	for _, table := range tables.All() {
		if !table.Loaded() {
			continue
		}
		for _, row := range b.Rows(table) {
			if table.Name == "tool_calls" {
				calls++
			}
			if text := fmt.Sprint(row); strings.Contains(text, key) {
				t.Errorf("%s: a key: %s", table.Name, text)
			}
		}
	}
	if calls != 5 {
		t.Errorf("%d calls, want 5: the trap has not been read", calls)
	}
	slices.Sort(opened)
	want := []string{"../prompt_history.jsonl", "chat_history.jsonl", "events.jsonl", "summary.json", "updates.jsonl"}
	if got := slices.Compact(opened); !slices.Equal(got, want) {
		t.Errorf("opened %q, want %q", got, want)
	}
}

// TestIsLog: the logs below sessions, and no other file.
func TestIsLog(t *testing.T) {
	for rel, want := range map[string]bool{
		"sessions/%2Fw/01/updates.jsonl":             true,
		"sessions/%2Fw/01/events.jsonl":              true,
		"sessions/%2Fw/prompt_history.jsonl":         true,
		"sessions/%2Fw/01/chat_history.jsonl":        false,
		"sessions/%2Fw/01/summary.json":              false,
		"sessions/%2Fw/01/subagents/02/meta.json":    false,
		"sessions/%2Fw/01/subagents/02/events.jsonl": false,
		"sessions/updates.jsonl":                     false,
		"sessions/session_search.sqlite":             false,
		"auth.json":                                  false,
		"logs/%2Fw/01/updates.jsonl":                 false,
	} {
		if got := isLog(rel); got != want {
			t.Errorf("%s: %v", rel, got)
		}
	}
}

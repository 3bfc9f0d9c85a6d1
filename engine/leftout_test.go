package engine_test

import (
	"context"
	"strings"
	"testing"

	"hindsql/engine"
	"hindsql/internal/whole"
)

// TestLinkStepFails: if a link step fails, only the results of the failed step and of
// dependent steps stay as they were. The other steps run, the sync warns, and the next
// sync tries again even if no log changed. A prune and a full sync leave the step out,
// too.
func TestLinkStepFails(t *testing.T) {
	whole.Test(t, "loads several stores, 1.6 s of processor time")
	t.Parallel()
	h := newHome(t)
	h.Write("a.jsonl", `{"session":"a","project":"/w"}`+"\n", line(1, ""), line(2, `,"tokens":5`))
	h.Write("b.jsonl", `{"session":"b","project":"/w"}`+"\n", line(1, ""), line(3, `,"tokens":7`))
	h.Sync()
	clean := h.Dump()
	// Linking the copies of compactions fails: an index is too large to add to.
	h.Tamper(
		"INSERT INTO compactions BY NAME SELECT 'toy' AS agent, 'b' AS session_id, source_id, 2147483647 AS after_message_index, false AS is_copy FROM sources WHERE ends_with(path, 'b.jsonl')",
		"UPDATE messages SET is_copy = true", "UPDATE sessions SET message_count = 99",
		"INSERT INTO pending_links SELECT source_id FROM sources")
	failed := func(report engine.SyncReport) {
		t.Helper()
		if len(report.Warnings) != 1 || !strings.HasPrefix(report.Warnings[0].Error(), "link 3-copies failed and is tried again at the next sync") ||
			strings.Contains(report.Warnings[0].Error(), "\n") {
			t.Errorf("warnings %q", report.Warnings)
		}
	}
	failed(h.Sync())
	h.Want("SELECT count(*) FROM with_copies.messages WHERE is_copy", "4") // unchanged
	h.Want("SELECT DISTINCT message_count FROM sessions", "99")
	h.Append("a.jsonl", line(4, `,"cleared":"a"`)) // steps that don't need the failed step run
	failed(h.Sync())
	failed(h.Sync())
	h.Want("SELECT count(*), count(DISTINCT source_id) FROM store.hindsql_internal.pending_links", "2|2")
	s := h.Open()
	if _, _, err := s.Prune(context.Background(), ""); err != nil {
		t.Error(err)
	}
	must(t, s.Close())
	h.Write("a.jsonl", `{"session":"a","project":"/w"}`+"\n", line(1, ""), line(2, `,"tokens":5`))
	h.Tamper("DELETE FROM compactions")
	if report := h.Sync(); len(report.Warnings) > 0 {
		t.Errorf("warnings %q", report.Warnings)
	}
	h.Want("SELECT count(*) FROM store.hindsql_internal.pending_links", "0")
	got := h.Dump()
	delete(clean, "sources") // with the time of another load
	delete(got, "sources")
	h.LikeClean()
	if len(got["messages"]) != len(clean["messages"]) || got["sessions"][0] != clean["sessions"][0] {
		t.Error("the store is not as it was")
	}
}

// TestAbsurdCountsOfGoneLogs: absurd counts of deleted logs, loaded by an older build,
// don't make a load fail. They become null when the store is rebuilt.
func TestAbsurdCountsOfGoneLogs(t *testing.T) {
	whole.Test(t, "loads several stores, 0.7 s of processor time")
	t.Parallel()
	h := newHome(t)
	h.Write("a.jsonl", `{"session":"a"}`+"\n", line(1, `,"tokens":5`), line(2, `,"tokens":5`))
	h.Write("b.jsonl", `{"session":"b"}`+"\n", line(3, `,"tokens":7`))
	h.Sync()
	h.Tamper("UPDATE messages SET output_tokens = 9000000000000000000 WHERE session_id = 'a'", "INSERT INTO pending_links SELECT source_id FROM sources")
	h.Remove("a.jsonl")
	if report := h.Sync(); len(report.Warnings) > 0 {
		t.Errorf("warnings %q", report.Warnings)
	}
	h.Want("SELECT session_id, output_tokens FROM sessions ORDER BY ALL", "a|NULL", "b|7")
	h.SyncWith(true)
	h.Want("SELECT session_id, output_tokens FROM sessions ORDER BY ALL", "a|0", "b|7")
	h.Want("SELECT session_id, output_tokens FROM messages ORDER BY ALL", "a|NULL", "a|NULL", "b|7")
}

package queries_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hindsql/engine"
	"hindsql/internal/corpus"
	"hindsql/internal/result"
	"hindsql/internal/whole"
	"hindsql/queries"
	"hindsql/queries/conversation"
	"hindsql/queries/report"
	"hindsql/readers"
	"hindsql/readers/all"
	"hindsql/readers/sample"
)

// TestTokensAgree compares all token counts, for each agent. The counts include tokens
// that no answer names.
func TestTokensAgree(t *testing.T) {
	t.Run("sample", func(t *testing.T) {
		home, err := sample.Write(filepath.Join(t.TempDir(), "sample"))
		if err != nil {
			t.Fatal(err)
		}
		if err := addTotals(home); err != nil {
			t.Fatal(err)
		}
		run := opened(t, home)
		tokensAgree(t, run)
		unnamed := sums(t, run, "SELECT agent, sum(input_tokens) FROM messages WHERE kind = 'usage' GROUP BY agent", nil)
		if diff := cmp.Diff(map[string]int64{"copilot": 1_000_000, "grok": 5400, "kimi": 5900}, unnamed); diff != "" {
			t.Error(diff)
		}
		counted := sums(t, run, "SELECT session_id, message_count FROM sessions WHERE session_id = 'totals'", nil)
		if diff := cmp.Diff(map[string]int64{"totals": 3}, counted); diff != "" {
			t.Error(diff)
		}
	})
	for _, name := range []string{"home", "recent", "labelled", "new-agents", "more", "agents-3"} {
		t.Run(name, func(t *testing.T) {
			whole.Test(t, "loads real logs")
			from := corpus.Home(t, name)
			home := filepath.Join(t.TempDir(), "home")
			if err := os.CopyFS(home, os.DirFS(from)); err != nil {
				t.Fatal(err)
			}
			tokensAgree(t, opened(t, home))
		})
	}
}

// addTotals adds a log with tokens only in a total.
func addTotals(home string) error {
	folder := filepath.Join(home, ".copilot", "session-state", "totals")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "events.jsonl"), []byte(totals), 0o644)
}

const totals = `{"type":"session.start","data":{"sessionId":"totals","copilotVersion":"1.0.77","startTime":"2026-06-01T10:00:00.000Z","context":{"cwd":"/src/totals"}},"id":"t0","timestamp":"2026-06-01T10:00:00.000Z","parentId":null}
{"type":"user.message","data":{"content":"say it twice"},"id":"t1","timestamp":"2026-06-01T10:00:01.000Z","parentId":"t0"}
{"type":"assistant.message","data":{"messageId":"a1","model":"made-up","content":"it","toolRequests":[],"outputTokens":2},"id":"t2","timestamp":"2026-06-01T10:00:02.000Z","parentId":"t1"}
{"type":"assistant.message","data":{"messageId":"a2","model":"made-up","content":"it","toolRequests":[],"outputTokens":3},"id":"t3","timestamp":"2026-06-01T10:00:03.000Z","parentId":"t2"}
{"type":"session.shutdown","data":{"shutdownType":"routine","modelMetrics":{"made-up":{"requests":{"count":2},"usage":{"inputTokens":1500000,"outputTokens":5,"cacheReadTokens":500000}}}},"id":"t4","timestamp":"2026-06-01T10:00:04.000Z","parentId":"t3"}
`

// tokensAgree compares each agent's sums with the sums of its messages.
func tokensAgree(t *testing.T, run queries.Run) {
	want := sums(t, run, "SELECT agent, sum("+four("")+") FROM messages GROUP BY agent HAVING sum("+four("")+") > 0", nil)
	if len(want) == 0 {
		t.Fatal("no tokens at all")
	}
	for name, sql := range map[string]string{
		"tokens-by-model":   "sum(all_tokens)",
		"tokens-by-day":     "sum(" + four("_tokens") + ")",
		"tokens-by-project": "sum(tokens)",
		"overview":          "sum(tokens)",
	} {
		q, _ := queries.Find("", name)
		args, err := q.Bind(t.Context(), run, map[string]any{})
		if err != nil {
			t.Fatal(err)
		}
		if q.Param(queries.Top) != nil {
			args[queries.Top] = nil
		}
		got := sums(t, run, "SELECT agent, "+sql+" FROM ("+q.TypedSQL()+") WHERE agent <> 'all' GROUP BY agent HAVING "+sql+" > 0", args)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	got := sums(t, run, "SELECT agent, sum("+four("")+") FROM sessions GROUP BY agent HAVING sum("+four("")+") > 0", nil)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("sessions: %s", diff)
	}
	pageAgrees(t, run)
	weeklyAgrees(t, run, want)
}

// four returns SQL for the sum of all tokens. without is an ending to strip: columns
// end in "_tokens" in messages and sessions, but not in some queries' rows.
func four(without string) string {
	var parts []string
	for _, column := range []string{"input_tokens", "cache_write_tokens", "cache_read_tokens", "output_tokens"} {
		parts = append(parts, "coalesce("+strings.TrimSuffix(column, without)+", 0)")
	}
	return strings.Join(parts, " + ")
}

// pageAgrees compares the token counts on the pages of sessions.
func pageAgrees(t *testing.T, run queries.Run) {
	of := conversation.Run(run)
	listed, _, err := conversation.Sessions(t.Context(), of, conversation.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int64{}
	for _, s := range listed {
		if s.Tokens > 0 {
			got[s.Agent] += s.Tokens
		}
	}
	want := sums(t, run, "SELECT agent, sum("+four("")+") FROM sessions WHERE kind = 'main' GROUP BY agent HAVING sum("+four("")+") > 0", nil)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the list of sessions: %s", diff)
	}
}

// weeklyAgrees compares the token section of the weekly report, which names no agents.
func weeklyAgrees(t *testing.T, run queries.Run, want map[string]int64) {
	saved, err := queries.All("")
	if err != nil {
		t.Fatal(err)
	}
	reports, err := report.All("", saved)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range reports {
		for _, s := range r.Sections {
			if r.Name != "weekly" || s.Title != "Tokens" {
				continue
			}
			sql := strings.Replace(s.Query.TypedSQL(), "LIMIT 10", "", 1)
			args := map[string]any{"since": "0001-01-01", "until": "9999-01-01"}
			got := sums(t, run, "SELECT 'all', sum(coalesce(tokens_written, 0) + tokens_read) FROM ("+sql+")", args)
			var list int64
			for _, n := range want {
				list += n
			}
			if got["all"] != list {
				t.Errorf("weekly: %d tokens, the messages have %d", got["all"], list)
			}
			return
		}
	}
	t.Error("no section of tokens in the weekly report")
}

// sums returns numbers by agent.
func sums(t *testing.T, run queries.Run, sql string, args map[string]any) map[string]int64 {
	t.Helper()
	set, err := run(t.Context(), sql, args)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	list := map[string]int64{}
	for _, row := range set.Rows {
		var n int64
		if _, err := fmt.Sscan(fmt.Sprint(row[1]), &n); err != nil {
			t.Fatalf("%v: %v", row, err)
		}
		list[fmt.Sprint(row[0])] = n
	}
	return list
}

// opened syncs a home folder's logs and returns a session's Run.
func opened(t *testing.T, home string) queries.Run {
	t.Helper()
	store, err := engine.Open(t.Context(), engine.Config{
		Store: filepath.Join(t.TempDir(), "h.duckdb"), Readers: all.Readers(), Hostname: "here", Timezone: "UTC",
		Host: readers.Host{OS: "linux", Home: home, Getenv: func(string) string { return "" }},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	session, err := store.Session(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	if _, err := session.Sync(t.Context(), engine.SyncOptions{}); err != nil {
		t.Fatal(err)
	}
	return func(ctx context.Context, sql string, args map[string]any) (set result.Set, err error) {
		err = session.Query(ctx, sql, args, func(rows *result.Rows) (err error) {
			set, err = result.Collect(rows)
			return err
		})
		return set, err
	}
}

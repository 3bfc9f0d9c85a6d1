package engine_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hindsql/tables"
)

// asFirstStore makes the store one of those that the first builds wrote: tables
// in main, ids of sources ten bits longer, and columns that weren't there yet.
func (h *home) asFirstStore() {
	h.t.Helper()
	first := filepath.Join(h.t.TempDir(), "first.duckdb")
	statements := []string{fmt.Sprintf("ATTACH '%s' AS now (READ_ONLY)", h.store)}
	for _, table := range tables.All() {
		if table.View != "" {
			continue
		}
		var columns []string
		for _, c := range table.Columns {
			value := c.Name
			switch c.Name {
			case "source_id", "other_source_id":
				value = c.Name + " * 1024 + 77"
			case "session_id":
				value = "replace(session_id, '@' || format('{:x}', source_id), '@' || format('{:x}', source_id * 1024 + 77))"
			case "typed_by", "about", "decision", "decided_by", "decision_confidence":
				if table.Name != "rejections" && !table.Internal {
					continue
				}
			case "is_inferred":
				continue
			}
			columns = append(columns, value+" AS "+c.Name)
		}
		statements = append(statements, fmt.Sprintf("CREATE TABLE %s AS SELECT %s FROM now.%s.%s", table.Name, strings.Join(columns, ", "), tables.Schema, table.Name))
	}
	statements = append(statements, "CREATE TABLE store_info AS SELECT 'first' AS schema_hash", "DETACH now")
	tamper(h.t, first, statements...)
	must(h.t, os.Rename(first, h.store))
}

// TestFirstStoresAreCarriedOver: the rows of a log that is gone are there once,
// under the ids of now, and once when the log comes back.
func TestFirstStoresAreCarriedOver(t *testing.T) {
	t.Parallel()
	logs := func(h *home) {
		h.write("a.jsonl", `{"session":"s"}`+"\n", line(1, ""), line(2, long(2)), line(3, `,"call":"c1","refused":"c1"`))
		h.write("gone/a.jsonl", `{"session":"s"}`+"\n", line(21, ""), line(22, `,"call":"c2","refused":"c2"`))
		h.write("gone/b.jsonl", `{"session":"b"}`+"\n", line(1, ""), line(2, long(2)), line(31, long(31)))
		h.sync()
	}
	h, other := newHome(t), newHome(t)
	logs(h)
	logs(other)
	h.asFirstStore()
	for _, home := range []*home{h, other} {
		must(t, os.Rename(home.path("gone"), filepath.Join(home.dir, "away")))
		home.sync()
		home.sync()
	}
	const all = `SELECT session_id LIKE 's@%', kind, about, prompt_count, message_count, rejection_count, output_tokens, forked_from FROM sessions ORDER BY ALL;
		SELECT text, typed_by, is_copy FROM with_copies.messages ORDER BY ALL;
		SELECT tool_use_id, status, decision, decided_by, decision_confidence FROM tool_calls ORDER BY ALL;
		SELECT count(*), count(gone_at), max(source_id) < power(2, 53) FROM sources;
		SELECT count(*) FROM sessions WHERE session_id LIKE '%@%' AND split_part(session_id, '@', 2) <> format('{:x}', source_id)`
	h.want(all, other.rows(all)...)
	if got := h.rows("SELECT count(*) FROM sources WHERE gone_at IS NOT NULL"); got[0] != "2" {
		t.Errorf("%s sources are gone, want 2", got)
	}
	must(t, os.Rename(filepath.Join(h.dir, "away"), h.path("gone")))
	h.sync()
	h.wantLikeClean()
}

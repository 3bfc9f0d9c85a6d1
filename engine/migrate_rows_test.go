package engine_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hindsql/internal/whole"
	"hindsql/tables"
)

// asFirstStore turns the store into a store of the first builds: tables in main, ids of
// sources ten bits longer, and without later columns.
func asFirstStore(h *home) {
	h.T.Helper()
	first := filepath.Join(h.T.TempDir(), "first.duckdb")
	statements := []string{fmt.Sprintf("ATTACH '%s' AS now (READ_ONLY)", h.Store)}
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
	tamper(h.T, first, statements...)
	must(h.T, os.Rename(first, h.Store))
}

// TestFirstStoresAreCarriedOver: the rows of a deleted log stand once, under today's
// ids, and still once after the log comes back.
func TestFirstStoresAreCarriedOver(t *testing.T) {
	whole.Test(t, "loads stores again and again, 2.7 s of processor time")
	t.Parallel()
	logs := func(h *home) {
		h.Write("a.jsonl", `{"session":"s"}`+"\n", line(1, ""), line(2, long(2)), line(3, `,"call":"c1","refused":"c1"`))
		h.Write("gone/a.jsonl", `{"session":"s"}`+"\n", line(21, ""), line(22, `,"call":"c2","refused":"c2"`))
		h.Write("gone/b.jsonl", `{"session":"b"}`+"\n", line(1, ""), line(2, long(2)), line(31, long(31)))
		h.Sync()
	}
	h, other := newHome(t), newHome(t)
	logs(h)
	logs(other)
	asFirstStore(h)
	for _, home := range []*home{h, other} {
		must(t, os.Rename(home.Path("gone"), filepath.Join(home.Dir, "away")))
		home.Sync()
		home.Sync()
	}
	const all = `SELECT session_id LIKE 's@%', kind, about, prompt_count, message_count, rejection_count, output_tokens, forked_from FROM sessions ORDER BY ALL;
		SELECT text, typed_by, is_copy FROM with_copies.messages ORDER BY ALL;
		SELECT tool_use_id, status, decision, decided_by, decision_confidence FROM tool_calls ORDER BY ALL;
		SELECT count(*), count(gone_at), max(source_id) < power(2, 53) FROM sources;
		SELECT count(*) FROM sessions WHERE session_id LIKE '%@%' AND split_part(session_id, '@', 2) <> format('{:x}', source_id)`
	h.Want(all, other.Rows(all)...)
	if got := h.Rows("SELECT count(*) FROM sources WHERE gone_at IS NOT NULL"); got[0] != "2" {
		t.Errorf("%s sources are gone, want 2", got)
	}
	must(t, os.Rename(filepath.Join(h.Dir, "away"), h.Path("gone")))
	h.Sync()
	h.LikeClean()
}

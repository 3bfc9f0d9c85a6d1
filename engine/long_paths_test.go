package engine_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hindsql/engine"
)

// TestLongPaths: a store and a log may have paths longer than the 260 characters of old
// programs on Windows. The library of Go lifts that bound for the whole process, so for
// DuckDB, too.
func TestLongPaths(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	long := strings.Repeat(strings.Repeat("a", 100)+"/", 3)
	h.Put("logs/"+long+"a.jsonl", line(1, ""))
	c := h.Config()
	c.Store = filepath.Join(h.Dir, filepath.FromSlash(long), "long.duckdb")
	s := open(t, c)
	_, err := s.Sync(t.Context(), engine.SyncOptions{})
	must(t, err)
	wantRows(t, s, "SELECT text, length(path) > 300 FROM messages JOIN sources USING (source_id)", "text 1|true")
	to := filepath.Join(filepath.Dir(c.Store), "copy.parquet")
	rows(t, s, "COPY (FROM messages) TO '"+to+"'")
	if _, err := os.Stat(to); err != nil {
		t.Error(err)
	}
}

package engine_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hindsql/engine"
	"hindsql/internal/sqltext"
)

// TestHandOver: the DuckDB that gets the rows holds no other tables, and reaches no
// file outside its folder.
func TestHandOver(t *testing.T) {
	t.Parallel()
	s := open(t, safely(sampleHome(t), engine.Safe{}))
	folder, other := t.TempDir(), t.TempDir()
	must(t, os.WriteFile(filepath.Join(other, "x.csv"), []byte("a\n1\n"), 0o600))
	err := s.HandOver(t.Context(), folder, "q", "FROM range(3)", nil, func(h *engine.Handed) error {
		for _, statement := range []string{
			"FROM sessions", "FROM " + sqltext.Literal(filepath.Join(other, "x.csv")), "COPY (SELECT 1) TO " + sqltext.Literal(filepath.Join(other, "y.csv")),
			"SET enable_external_access = true", "ATTACH " + sqltext.Literal(filepath.Join(other, "z.db")), "INSTALL httpfs",
		} {
			if err := h.Exec(t.Context(), statement); err == nil {
				t.Errorf("%s: ran", statement)
			}
		}
		return h.Exec(t.Context(), fmt.Sprintf("COPY (%s) TO %s", h.From(), sqltext.Literal(filepath.Join(folder, "x.csv"))))
	})
	must(t, err)
	text, err := os.ReadFile(filepath.Join(folder, "x.csv"))
	if must(t, err); strings.Count(string(text), "\n") != 4 {
		t.Errorf("%s", text)
	}
}

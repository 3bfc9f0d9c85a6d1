package engine_test

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"testing"

	"hindsql/engine"
	"hindsql/engine/enginetest"
	"hindsql/engine/redact"
	"hindsql/internal/corpus"
	"hindsql/internal/whole"
	"hindsql/readers/sample"
	"hindsql/tables"
)

// joined matches the names of columns that people join on or group by.
var joined = regexp.MustCompile(`(?:^|_)(?:id|uuid|kind|model|agent|tool_name|role|status|machine|decision|decided_by|error_type|stop_reason)$`)

// TestRedactionKeepsJoins: no id, name of a tool, kind or model changes by redaction.
func TestRedactionKeepsJoins(t *testing.T) {
	whole.Test(t, "redacts all names of the sample, 1.5 s of processor time")
	t.Parallel()
	home, err := sample.Write(filepath.Join(t.TempDir(), "sample"))
	enginetest.Must(t, err)
	wantJoins(t, home, 1000)
}

func TestRedactionKeepsCorpusJoins(t *testing.T) {
	whole.Test(t, "loads real logs")
	t.Parallel()
	wantJoins(t, corpus.Home(t, "home"), 20_000)
}

// wantJoins checks the values of a home's columns, which are at least some number.
func wantJoins(t *testing.T, home string, least int) {
	t.Helper()
	s := enginetest.Open(t, enginetest.RealConfig(home, filepath.Join(t.TempDir(), "h.duckdb")))
	_, err := s.Sync(context.Background(), engine.SyncOptions{})
	enginetest.Must(t, err)
	r, values := redact.New(), 0
	for _, table := range tables.Views() {
		for _, c := range table.Columns {
			if c.Type != "VARCHAR" || !joined.MatchString(c.Name) {
				continue
			}
			for _, value := range enginetest.Rows(t, s, fmt.Sprintf("SELECT DISTINCT %q FROM %s WHERE %[1]q IS NOT NULL", c.Name, table.Name)) {
				if values++; r.Redact(value, false) != value {
					t.Errorf("%s.%s: %q became %q", table.Name, c.Name, value, r.Redact(value, false))
				}
			}
		}
	}
	if values < least {
		t.Errorf("%d values, want at least %d", values, least)
	}
}

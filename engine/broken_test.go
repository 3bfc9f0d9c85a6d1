package engine_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"hindsql/engine"
	"hindsql/engine/enginetest"
	"hindsql/internal/whole"
)

// breaks returns a statement after which DuckDB 1.5.5 refuses all statements: it asks for
// more memory than a process has addresses.
func breaks() string {
	list := make([]string, 4000)
	for i := range list {
		list[i] = fmt.Sprintf("reservoir_quantile((i + %d)::HUGEINT, 0.5, 2147483647)", i)
	}
	return "SELECT " + strings.Join(list, ", ") + " FROM range(3) t(i)"
}

// insides are parts of DuckDB's errors that nobody should see.
var insides = []string{"Stack Trace", "[0x", "libc", "hindsql-worker", "invalidated", "\n\n"}

// TestBroken: if a user's statement breaks DuckDB, the error says so, and the next
// statement of every session works. The store is not taken for damaged.
func TestBroken(t *testing.T) {
	t.Parallel()
	s := open(t, sampleHome(t))
	second, err := s.Store.Session(t.Context())
	must(t, err)
	defer second.Close()
	other := enginetest.Face{Store: s.Store, Session: second}
	want := rows(t, other, "SELECT count(*) FROM messages")[0]
	befores := []string{"BEGIN; CREATE TEMP TABLE kept AS SELECT 1 AS x", "CREATE TEMP TABLE kept AS SELECT 1 AS x", "SELECT raw(source_id, 1) FROM sources LIMIT 1"}
	for _, before := range befores[:whole.Or(3, 1)] {
		if _, err := tryRows(s, before, nil); err != nil {
			t.Fatal(err)
		}
		_, err := tryRows(s, breaks(), nil)
		var wrong *engine.Error
		if !errors.As(err, &wrong) || !wrong.Broken || wrong.Damaged || wrong.Hint == "" {
			t.Errorf("after %s: %#v", before, err)
		}
		for _, part := range insides {
			if strings.Contains(err.Error(), part) {
				t.Errorf("after %s: %q in %v", before, part, err)
			}
		}
		for _, session := range []enginetest.Face{s, other} {
			if got := rows(t, session, "SELECT count(*) FROM messages")[0]; got != want {
				t.Errorf("after %s: %s messages instead of %s", before, got, want)
			}
		}
		if _, err := tryRows(s, "FROM kept", nil); !errors.As(err, &wrong) || wrong.Missing != engine.MissingTable {
			t.Errorf("after %s: a temporary table of the old DuckDB: %v", before, err)
		}
	}
	if _, err := s.Sync(t.Context(), engine.SyncOptions{Full: true}); err != nil {
		t.Error(err)
	}
	if got := rows(t, other, "SELECT count(*) FROM messages")[0]; got != want {
		t.Errorf("after a sync: %s messages instead of %s", got, want)
	}
}

// TestBrokenWorker: a statement that breaks a worker's DuckDB ends the worker. Other
// clients get answers, and no client sees DuckDB's stack.
func TestBrokenWorker(t *testing.T) {
	whole.Test(t, "starts workers that end, 1.6 s of processor time")
	t.Parallel()
	s := open(t, safely(sampleHome(t), engine.Safe{}))
	second, err := s.Store.Session(t.Context())
	must(t, err)
	defer second.Close()
	other := enginetest.Face{Store: s.Store, Session: second}
	want := rows(t, other, "SELECT count(*) FROM messages")[0]
	const once = "SELECT reservoir_quantile(i, 0.5, 2000000000) FROM range(3) t(i)" // breaks, where the system bounds memory
	for _, statement := range []string{once, "EXPLAIN ANALYZE " + once} {
		_, err := tryRows(s, statement, nil)
		if err != nil && !errors.As(err, new(*engine.Crashed)) && !errors.As(err, new(*engine.Limit)) {
			t.Errorf("%v", err)
		}
		if got := rows(t, other, "SELECT count(*) FROM messages")[0]; got != want {
			t.Errorf("%s messages instead of %s", got, want)
		}
	}
}

package engine_test

import (
	"context"
	"errors"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/duckdb/duckdb-go/v2"
	"github.com/google/go-cmp/cmp"

	"hindsql/engine"
	"hindsql/internal/result"
	"hindsql/internal/whole"
	"hindsql/tables"
)

// synced returns a session with two messages.
func synced(t *testing.T) (*home, face) {
	t.Helper()
	h := newHome(t)
	h.Write("a.jsonl", line(1, ""), line(2, ""))
	h.Sync()
	return h, h.Open()
}

func wantRows(t *testing.T, s face, query string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, rows(t, s, query)); diff != "" {
		t.Errorf("%s: (-want +got)\n%s", query, diff)
	}
}

func TestEveryStatementGivesItsResult(t *testing.T) {
	t.Parallel()
	_, s := synced(t)
	var got []string
	err := s.Query(context.Background(), "SELECT 1 AS a, 'x' AS b; CREATE TEMP TABLE t AS SELECT 2 AS c; INSERT INTO t VALUES (3); SET threads = 1; FROM t; SELECT count(*) AS Count FROM t", nil,
		func(r *result.Rows) error {
			line := ""
			for _, c := range r.Columns {
				line += c.Name + " " + c.Type + ", "
			}
			for r.Next() {
				line += "row, "
			}
			got = append(got, line)
			return r.Err()
		})
	must(t, err)
	want := []string{"a INTEGER, b VARCHAR, row, ", "", "", "", "c INTEGER, row, row, ", "Count BIGINT, row, "}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestTypes(t *testing.T) {
	t.Parallel()
	c := newHome(t).Config()
	c.Timezone = "Asia/Kolkata"
	s := open(t, c)
	for query, want := range map[string]any{
		"SELECT NULL":                  nil,
		"SELECT 1":                     int32(1),
		"SELECT 1::BIGINT":             int64(1),
		"SELECT true":                  true,
		"SELECT 'ä'":                   "ä",
		"SELECT [1, NULL]":             []any{int32(1), nil},
		"SELECT 12.50":                 duckdb.Decimal{Width: 4, Scale: 2, Value: big.NewInt(1250)},
		"SELECT {'a': 1}":              map[string]any{"a": int32(1)},
		"SELECT 'x'::BLOB":             []byte("x"),
		"SELECT sum(1::BIGINT)":        big.NewInt(1),
		"SELECT DATE '2026-01-02'":     time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC),
		"SELECT '2026-01-02'::VARCHAR": "2026-01-02",
	} {
		var got any
		must(t, s.Query(context.Background(), query, nil, func(r *result.Rows) error {
			r.Next()
			got = r.Values()[0]
			return r.Err()
		}))
		if b, ok := want.(*big.Int); ok {
			if g, ok := got.(*big.Int); !ok || b.Cmp(g) != 0 {
				t.Errorf("%s: got %#v", query, got)
			}
		} else if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b *big.Int) bool { return a.Cmp(b) == 0 })); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", query, diff)
		}
	}
	wantRows(t, s, "SELECT TIMESTAMPTZ '2026-01-01 20:00:00+00'", "2026-01-02 01:30:00 +0530 IST")
	wantRows(t, s, "SELECT date_trunc('day', TIMESTAMPTZ '2026-01-01 20:00:00+00')::VARCHAR", "2026-01-02 00:00:00+05:30")
}

// TestColumnsThatTheTextHides: a view's columns are JSON, and the text of the query
// doesn't tell. The same text then has other columns, and no rows of the first.
func TestColumnsThatTheTextHides(t *testing.T) {
	t.Parallel()
	_, s := synced(t)
	for _, step := range []struct{ of, typ, want string }{
		{`'{"b": 1.10}'::JSON`, "JSON", `{"b": 1.10}`}, {"2::BIGINT", "BIGINT", "2"}, {"(1, 'x')", "STRUCT(INTEGER, VARCHAR)", "(1, x)"}, {"'y'", "VARCHAR", "y"},
	} {
		_, err := tryRows(s, "CREATE OR REPLACE TEMP VIEW hidden AS SELECT "+step.of+" AS x", nil)
		must(t, err)
		for range 2 {
			must(t, s.Query(t.Context(), "SELECT x FROM hidden WHERE $a = 1", map[string]any{"a": 1}, func(r *result.Rows) error {
				if diff := cmp.Diff([]result.Column{{Name: "x", Type: step.typ}}, r.Columns); diff != "" || !r.Next() {
					t.Errorf("%s: %s %v", step.of, diff, r.Err())
				}
				if got := result.Types(r.Columns)[0].Text(r.Values()[0]); got != step.want || r.Next() {
					t.Errorf("%s: %s, or a second row", step.of, got)
				}
				return r.Err()
			}))
		}
	}
}

func TestParametersAreBoundByName(t *testing.T) {
	t.Parallel()
	_, s := synced(t)
	args := map[string]any{"a": 1, "b": "it's", "unused": nil}
	got, err := tryRows(s, "SELECT $b, $a::INT + 1; SELECT $b; SELECT '$c'", args)
	must(t, err)
	if diff := cmp.Diff([]string{"it's|2", "it's", "$c"}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	for _, args := range []map[string]any{nil, {"other": 1}} {
		if _, err := tryRows(s, "SELECT $since", args); err == nil || !strings.Contains(err.Error(), "$since: no value given") {
			t.Errorf("args %v: %v", args, err)
		}
	}
	if _, err := tryRows(s, "SELEC $a", map[string]any{"a": 1}); !errors.As(err, new(*engine.Error)) {
		t.Errorf("got %v", err)
	}
}

func TestTemporaryThingsLiveAsLongAsTheSession(t *testing.T) {
	whole.Test(t, "loads several stores, 1.0 s of processor time")
	t.Parallel()
	h, s := synced(t)
	rows(t, s, "CREATE TEMP TABLE mine AS SELECT uuid FROM messages")
	rows(t, s, "SET VARIABLE v = 'u1'; CREATE MACRO twice(x) AS x * 2; CREATE VIEW view AS SELECT text FROM messages")
	h.Append("a.jsonl", line(3, ""))
	_, err := s.Sync(context.Background(), engine.SyncOptions{})
	must(t, err)
	wantRows(t, s, "SELECT count(*) FROM mine WHERE uuid = getvariable('v')", "1")
	wantRows(t, s, "SELECT twice(count(*)) FROM view", "6")
	_, err = s.Sync(context.Background(), engine.SyncOptions{Full: true})
	must(t, err)
	wantRows(t, s, "SELECT twice(count(*)) FROM view", "6")
}

func TestUsersTransactions(t *testing.T) {
	t.Parallel()
	h, s := synced(t)
	wantRows(t, s, "BEGIN; CREATE TEMP TABLE x AS FROM messages; COMMIT; SELECT count(*) FROM x", "2")
	rows(t, s, "BEGIN TRANSACTION")
	wantRows(t, s, "SELECT count(*) FROM messages", "2")
	h.Append("a.jsonl", line(3, ""))
	report, err := s.Sync(context.Background(), engine.SyncOptions{})
	must(t, err)
	if report.Loaded != 0 {
		t.Error("a sync inside a transaction loaded something")
	}
	wantRows(t, s, "SELECT count(*) FROM messages", "2")
	if _, err := tryRows(s, "SELECT CAST('x' AS INT) FROM messages", nil); err == nil {
		t.Error("no error")
	}
	tryRows(s, "SELECT 1", nil) // aborted, or not: ROLLBACK must work in both cases
	rows(t, s, "/* enough */ ROLLBACK")
	_, err = s.Sync(context.Background(), engine.SyncOptions{})
	must(t, err)
	wantRows(t, s, "SELECT count(*) FROM messages", "3")
}

func TestOneTakesNothingFromTheNext(t *testing.T) {
	whole.Test(t, "loads stores again and again, 0.8 s of processor time")
	t.Parallel()
	_, s := synced(t)
	for _, statement := range []string{"DETACH store", "USE store", "USE memory", "RESET search_path", "CREATE TABLE mine (a INT)"} {
		tryRows(s, statement, nil)
		wantRows(t, s, "SELECT count(*) FROM messages", "2")
	}
	_, err := s.Sync(context.Background(), engine.SyncOptions{Full: true})
	must(t, err)
}

func TestTheStoreIsReadOnly(t *testing.T) {
	t.Parallel()
	_, s := synced(t)
	for _, statement := range []string{"DELETE FROM messages", "DELETE FROM store.hindsql_internal.messages", "DROP VIEW store.main.messages", "DROP TABLE store.hindsql_internal.messages", "CREATE TABLE store.main.x (a INT)"} {
		if _, err := tryRows(s, statement, nil); err == nil {
			t.Errorf("%s: no error", statement)
		}
	}
	wantRows(t, s, "SELECT count(*) FROM messages", "2")
}

func TestErrorOfTheSecondStatement(t *testing.T) {
	t.Parallel()
	_, s := synced(t)
	got, err := tryRows(s, "SELECT 1; SELECT nope; SELECT 3", nil)
	if !errors.As(err, new(*engine.Error)) || len(got) != 1 {
		t.Errorf("got %v and %v", got, err)
	}
	own := errors.New("enough")
	err = s.Query(context.Background(), "SELECT 1", nil, func(*result.Rows) error { return own })
	if err != own {
		t.Errorf("visit's error came back as %v", err)
	}
	wantRows(t, s, "SELECT count(*) FROM messages", "2")
}

func TestCancel(t *testing.T) {
	whole.Test(t, "loads several stores, 1.2 s of processor time")
	t.Parallel()
	h, s := synced(t)
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	err := s.Query(ctx, "SELECT count(*) FROM range(100000000000) a, range(100000) b", nil, func(*result.Rows) error { return nil })
	if !errors.Is(err, context.DeadlineExceeded) { // without a cancel it runs for days
		t.Errorf("got %v", err)
	}
	ctx, cancel = context.WithCancel(context.Background())
	err = s.Query(ctx, "SELECT a FROM range(100000000) t(a)", nil, func(r *result.Rows) error {
		for n := 0; r.Next(); n++ {
			if n == 10 {
				cancel()
			}
		}
		return r.Err()
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("while rows are read: %v", err)
	}
	wantRows(t, s, "SELECT count(*) FROM messages", "2")
	// The session released the store: another session may write.
	h.Append("a.jsonl", line(3, ""))
	h.Sync()
	wantRows(t, s, "SELECT count(*) FROM messages", "3")
}

func TestQueryWithoutAStore(t *testing.T) {
	whole.Test(t, "loads stores again and again, 1.0 s of processor time")
	t.Parallel()
	h := newHome(t)
	s := h.Open()
	for _, table := range tables.Views() {
		wantRows(t, s, "SELECT count(*) FROM "+table.Name, "0")
	}
	h.Write("a.jsonl", line(1, ""))
	_, err := s.Sync(context.Background(), engine.SyncOptions{})
	must(t, err)
	wantRows(t, s, "SELECT count(*) FROM messages", "1")
}

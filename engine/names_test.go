package engine_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hindsql/engine"
	"hindsql/internal/whole"
	"hindsql/tables"
)

// askedOfAll are queries that hindsql and DuckDB alone answer the same.
var askedOfAll = []string{
	"SELECT count(*) FROM messages",
	"SELECT count(*) FROM with_copies.messages",
	"SELECT count(*), count(DISTINCT agent) FROM sessions",
	"SELECT * EXCLUDE (loaded_at) FROM sources ORDER BY source_id",
	"SELECT count(*) FROM tool_calls c JOIN with_copies.tool_calls w USING (agent, session_id, tool_use_id) WHERE NOT w.is_copy",
	"SELECT sum(lines) FROM record_kinds",
	"SELECT count(*), min(project) FROM clears",
	"SELECT * FROM session('60a888ce')",
	"SELECT * FROM session('fb516255')",
	"SELECT * FROM search('migrat') ORDER BY ALL",
	"SELECT sum(cost(session_id)) FROM sessions",
	"SELECT local_day(TIMESTAMP '2026-01-31 23:59:59')::VARCHAR, diff(E'a\\nb', E'a\\nc'), diff(NULL, 'a'), diff('', 'x')",
}

// sampleStore returns a store of the sample, held by no process, and hindsql's answers
// from the store.
func sampleStore(t *testing.T) (path string, want map[string][]string) {
	t.Helper()
	c := sampleHome(t)
	s := open(t, c)
	want = map[string][]string{}
	for _, query := range askedOfAll {
		want[query] = rows(t, s, query)
		if len(want[query]) == 0 {
			t.Fatalf("%s: no rows", query)
		}
	}
	must(t, s.Close())
	return c.Store, want
}

// plainDuckDB is a DuckDB without anything of hindsql, on a file or in memory.
func plainDuckDB(t *testing.T, file string) *sql.Conn {
	t.Helper()
	db, err := sql.Open("duckdb", file)
	must(t, err)
	t.Cleanup(func() { db.Close() })
	conn, err := db.Conn(t.Context())
	must(t, err)
	t.Cleanup(func() { conn.Close() })
	run(t, conn, "SET TimeZone = 'UTC'")
	return conn
}

func run(t *testing.T, conn *sql.Conn, statement string) {
	t.Helper()
	if _, err := conn.ExecContext(t.Context(), statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

func ask(conn *sql.Conn, query string) (list []string, err error) {
	found, err := conn.QueryContext(context.Background(), query)
	if err != nil {
		return nil, err
	}
	defer found.Close()
	names, err := found.Columns()
	if err != nil {
		return nil, err
	}
	for found.Next() {
		values, targets := make([]any, len(names)), make([]any, len(names))
		for i := range values {
			targets[i] = &values[i]
		}
		if err := found.Scan(targets...); err != nil {
			return nil, err
		}
		var cells []string
		for _, v := range values {
			if v == nil {
				v = "NULL"
			}
			cells = append(cells, fmt.Sprint(v))
		}
		list = append(list, strings.Join(cells, "|"))
	}
	return list, found.Err()
}

func wantAnswers(t *testing.T, conn *sql.Conn, want map[string][]string, which func(query string) bool) {
	t.Helper()
	for query, answer := range want {
		if !which(query) {
			continue
		}
		if got, err := ask(conn, query); err != nil || !cmp.Equal(answer, got) {
			t.Errorf("%s: %v (-want +got)\n%s", query, err, cmp.Diff(answer, got))
		}
	}
}

func anyQuery(string) bool { return true }

// callsFunctions reports whether a query names no table itself.
func callsFunctions(query string) bool {
	return strings.Contains(query, "FROM se") && strings.Contains(query, "('") || !strings.Contains(query, "FROM")
}

// TestPlainDuckDB: in DuckDB alone the store has the same tables and functions,
// whatever the file's name is.
func TestPlainDuckDB(t *testing.T) {
	whole.Test(t, "asks the sample again and again, 1.8 s of processor time")
	t.Parallel()
	store, want := sampleStore(t)
	data, err := os.ReadFile(store)
	must(t, err)
	for _, name := range []string{"hindsql", "store", "main", "memory", "messages", "sessions", "with_copies", "my logs"} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), name+".duckdb")
			must(t, os.WriteFile(file, data, 0o600))
			conn := plainDuckDB(t, file+"?access_mode=READ_ONLY")
			which := anyQuery
			if name == "with_copies" { // ambiguous for DuckDB: the schema or the file
				which = func(query string) bool { return !strings.Contains(query, "with_copies.") }
			}
			wantAnswers(t, conn, want, which)
			if _, err := ask(conn, "SELECT raw(source_id, line) FROM messages"); err == nil || !strings.Contains(err.Error(), "which hindsql does and DuckDB alone does not") {
				t.Errorf("raw: %v", err)
			}
			if got, err := ask(conn, "SHOW TABLES"); err != nil || len(got) != len(tables.Views())-8 { // those with copies
				t.Errorf("SHOW TABLES: %v, %v", err, got)
			}
			run(t, conn, "CREATE TEMP TABLE messages AS SELECT 1 AS mine; CREATE TEMP TABLE sessions AS SELECT 1 AS mine; CREATE TEMP VIEW clears AS SELECT 1 AS mine")
			wantAnswers(t, conn, want, callsFunctions)
		})
	}
}

// TestAttachedInPlainDuckDB: in an attached store the tables work at once, and the
// functions after USE. Both work again after a detach.
func TestAttachedInPlainDuckDB(t *testing.T) {
	whole.Test(t, "asks the sample again and again, 1.3 s of processor time")
	t.Parallel()
	store, want := sampleStore(t)
	conn := plainDuckDB(t, "")
	run(t, conn, "CREATE TABLE messages AS SELECT 1 AS mine; CREATE SCHEMA with_copies; CREATE TABLE with_copies.messages AS SELECT 1 AS mine")
	for _, name := range []string{"hs", "with_copies", "messages", `"my logs"`, "hs"} {
		run(t, conn, fmt.Sprintf("ATTACH '%s' AS %s (READ_ONLY)", store, name))
		for _, table := range []string{"messages", "with_copies.messages", "sessions"} {
			query := "SELECT count(*) FROM " + name + ".main." + table
			if strings.HasPrefix(table, "with_copies") {
				query = "SELECT count(*) FROM " + name + "." + table
			}
			answer := want["SELECT count(*) FROM "+table]
			if table == "sessions" {
				answer = []string{strings.Split(want["SELECT count(*), count(DISTINCT agent) FROM sessions"][0], "|")[0]}
			}
			if got, err := ask(conn, query); err != nil || !cmp.Equal(answer, got) {
				t.Errorf("%s: %v, %v; want %v", query, got, err, answer)
			}
		}
		run(t, conn, "USE "+name+".main")
		wantAnswers(t, conn, want, func(query string) bool { return name != "with_copies" || !strings.Contains(query, "with_copies.") })
		run(t, conn, "CREATE TEMP TABLE messages AS SELECT 1 AS mine")
		wantAnswers(t, conn, want, callsFunctions)
		run(t, conn, "DROP TABLE temp.main.messages; USE memory; DETACH "+name)
	}
}

// TestUsersOwnMessages: a user's table or view replaces ours in the user's queries, and
// nowhere else.
func TestUsersOwnMessages(t *testing.T) {
	whole.Test(t, "loads stores again and again, 3.4 s of processor time")
	t.Parallel()
	_, want := sampleStore(t)
	for _, kind := range []string{"TABLE", "VIEW", "TEMP TABLE", "TEMP VIEW"} {
		t.Run(kind, func(t *testing.T) {
			s := sampleSession(t)
			rows(t, s, "CREATE "+kind+" messages AS SELECT 1 AS mine; CREATE "+kind+" sessions AS SELECT 2 AS mine")
			wantRows(t, s, "FROM messages; FROM sessions", "1", "2")
			for query, answer := range want {
				if callsFunctions(query) || query == "SELECT count(*) FROM with_copies.messages" {
					wantRows(t, s, query, answer...)
				}
			}
			_, err := s.Sync(t.Context(), engine.SyncOptions{Full: true})
			must(t, err)
			wantRows(t, s, "FROM messages", "1")
			rows(t, s, "DROP "+strings.TrimPrefix(kind, "TEMP ")+" messages")
			wantRows(t, s, "SELECT count(*) FROM messages", want["SELECT count(*) FROM messages"]...)
		})
	}
}

// TestNamesAfterUse: after USE, a user's database hides only our tables of the same
// name.
func TestNamesAfterUse(t *testing.T) {
	whole.Test(t, "asks the sample again and again, 1.3 s of processor time")
	t.Parallel()
	_, want := sampleStore(t)
	s := sampleSession(t)
	other := filepath.Join(t.TempDir(), "other.duckdb")
	rows(t, s, "ATTACH '"+other+"' AS other; CREATE TABLE other.notes AS SELECT 'n' AS note; CREATE TABLE other.prompts AS SELECT 'p' AS mine")
	for _, use := range []string{"USE other", "SET search_path = 'other'", "SET schema = 'other.main'"} {
		rows(t, s, use)
		wantRows(t, s, "FROM notes; FROM prompts", "n", "p")
		for query, answer := range want {
			if !strings.Contains(query, "sources") { // whose times and paths are another home's
				wantRows(t, s, query, answer...)
			}
		}
		rows(t, s, "USE memory")
		wantRows(t, s, "SELECT count(*) FROM messages", want["SELECT count(*) FROM messages"]...)
	}
}

// TestAnotherStoreBeside: a second store, attached by the user, answers from its own
// rows.
func TestAnotherStoreBeside(t *testing.T) {
	whole.Test(t, "loads several stores, 1.1 s of processor time")
	t.Parallel()
	path, want := sampleStore(t)
	h, s := synced(t)
	rows(t, s, "ATTACH '"+path+"' AS other (READ_ONLY)")
	wantRows(t, s, "SELECT count(*) FROM other.messages; SELECT count(*) FROM other.with_copies.messages; SELECT count(*) FROM messages",
		want["SELECT count(*) FROM messages"][0], want["SELECT count(*) FROM with_copies.messages"][0], "2")
	rows(t, s, "USE other")
	wantRows(t, s, "SELECT count(*) FROM messages; SELECT count(*) FROM with_copies.messages",
		want["SELECT count(*) FROM messages"][0], want["SELECT count(*) FROM with_copies.messages"][0])
	rows(t, s, "USE memory; DETACH other")
	h.Append("a.jsonl", line(3, ""))
	h.Sync()
	wantRows(t, s, "SELECT count(*) FROM messages", "3")
}

// TestNoNameOfDuckDBs: no function of ours hides a function of DuckDB's.
func TestNoNameOfDuckDBs(t *testing.T) {
	t.Parallel()
	theirs, err := ask(plainDuckDB(t, ""), "SELECT DISTINCT lower(function_name) FROM duckdb_functions()")
	must(t, err)
	known := map[string]bool{}
	for _, name := range theirs {
		known[name] = true
	}
	if !known["day"] || !known["range"] {
		t.Fatal("the list of DuckDB's functions lacks some")
	}
	ours := rows(t, open(t, newHome(t).Config()), "SELECT DISTINCT function_name FROM duckdb_functions() WHERE database_name = 'memory' OR function_name IN ('unified_diff', 'log_line', 'listed_rows')")
	if want := len(tables.Macros()) + 3; len(ours) != want {
		t.Errorf("%d functions, want %d: %v", len(ours), want, ours)
	}
	for _, name := range ours {
		if known[name] {
			t.Errorf("%s() is DuckDB's", name)
		}
	}
}

// TestDiffAlone: DuckDB alone gives a diff, too, from the first change to the last. For
// a single change the diff equals hindsql's.
func TestDiffAlone(t *testing.T) {
	whole.Test(t, "asks the sample again and again, 0.9 s of processor time")
	t.Parallel()
	store, _ := sampleStore(t)
	conn := plainDuckDB(t, store+"?access_mode=READ_ONLY")
	lines := func(from, to int, changed ...int) string {
		var text strings.Builder
		for i := from; i <= to; i++ {
			more := ""
			for _, c := range changed {
				if c == i {
					more = " changed"
				}
			}
			fmt.Fprintf(&text, "line %d%s\n", i, more)
		}
		return text.String()
	}
	for _, test := range [][2]string{
		{"", ""}, {"a", "a"}, {"", "a\n"}, {"a\n", ""}, {"", "a"}, {"a", "b"}, {"a", "a\n"}, {"a\n", "a"}, {"a\nb", "a\nc"}, {"a\n\n\nb\n", "a\n\n\nc\n"},
		{lines(1, 9), lines(1, 9, 5)}, {lines(1, 9), lines(1, 9, 1)}, {lines(1, 9), lines(1, 9, 9)}, {lines(1, 9), lines(1, 12)}, {lines(1, 9), lines(4, 9)},
		{lines(1, 20), lines(1, 10) + lines(15, 20)}, {lines(1, 3), lines(11, 15)}, {"x\r\ny\r\n", "x\r\nz\r\n"},
	} {
		var got string
		must(t, conn.QueryRowContext(t.Context(), "SELECT diff(?, ?)", test[0], test[1]).Scan(&got))
		if diff := cmp.Diff(tables.UnifiedDiff(test[0], test[1]), got); diff != "" {
			t.Errorf("%q, %q: (-hindsql's +DuckDB's)\n%s", test[0], test[1], diff)
		}
	}
	got, err := ask(conn, "SELECT diff(o, n) FROM (VALUES ('a', 'b'), (NULL, 'b'), ('a', 'a')) t(o, n) ORDER BY 1 NULLS LAST")
	if want := []string{"", "--- old\n+++ new\n@@ -1 +1 @@\n-a\n+b\n", "NULL"}; err != nil || !cmp.Equal(want, got) {
		t.Errorf("over rows: %v, %q", err, got)
	}
}

// TestFirstStatementsNames: the first query of a process uses the views and functions
// in the store's file (storeNames). It returns the same rows as a later query, which
// uses those of makeNames, and leaves the search path as it was.
func TestFirstStatementsNames(t *testing.T) {
	whole.Test(t, "loads stores again and again, 1.7 s of processor time")
	t.Parallel()
	h := newHome(t)
	h.Write("a.jsonl", `{"session":"a","project":"/w"}`+"\n", line(1, `,"call":"c"`), line(2, `,"refused":"c"`))
	h.Sync()
	for _, query := range []string{
		"SELECT text FROM messages ORDER BY line",
		"SELECT count(*) FROM with_copies.messages",
		"FROM search('text')",
		"SELECT * FROM session('a')",
		"SELECT raw(source_id, 1) FROM sources",
		"SELECT count(*) FROM report_runs",
		"SELECT current_setting('search_path')",
		"SELECT local_day(timestamp) FROM rejections",
		"FROM (SHOW TABLES)",
	} {
		first := h.Rows(query)
		later := h.Open()
		rows(t, later, "DESCRIBE messages") // runs makeNames
		if diff := cmp.Diff(rows(t, later, query), first); diff != "" {
			t.Errorf("%s: (-later +first)\n%s", query, diff)
		}
		must(t, later.Close())
	}
	s := h.Open()
	wantRows(t, s, "SELECT count(*) FROM messages", "2")
	wantRows(t, s, "CREATE TABLE messages AS SELECT 1 AS mine; FROM messages", "1")
	wantRows(t, s, "DROP TABLE messages; SELECT count(*) FROM messages", "2")
	if _, err := tryRows(h.Open(), "FROM message", nil); err == nil || !strings.Contains(err.Error(), `Did you mean "messages"?`) {
		t.Error(err)
	}
}

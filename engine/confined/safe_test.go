package confined_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hindsql/engine"
	"hindsql/engine/confined"
	"hindsql/engine/enginetest"
	"hindsql/engine/sandbox/allow"
	"hindsql/internal/result"
	"hindsql/internal/sqltext"
	"hindsql/internal/whole"
)

func TestSafeHoldsTheRows(t *testing.T) {
	whole.Test(t, "loads stores again and again, 1.5 s of processor time")
	t.Parallel()
	c := sampleHome(t)
	s := open(t, safely(c, engine.Safe{}))
	enginetest.WantShown(t, s, enginetest.Shown(t, open(t, c)))
	for _, query := range []string{
		"FROM search('migrat') LIMIT 3", "SELECT count(*) FROM session((SELECT session_id FROM sessions WHERE kind = 'main' ORDER BY ALL LIMIT 1))",
		"SELECT raw(source_id, line) LIKE '{%' FROM messages WHERE agent = 'claude' LIMIT 1", "SELECT diff('a', 'b')", "EXPLAIN FROM messages",
		"EXPLAIN (FORMAT json) SELECT 1", "EXPLAIN ANALYZE SELECT 1", "SUMMARIZE messages", "DESCRIBE sessions", "SHOW TABLES", "SHOW ALL TABLES", "VALUES (1)",
		"PIVOT tool_calls ON status IN ('ok', 'error') USING count(*) GROUP BY agent", "FROM with_copies.messages LIMIT 1", "FROM store.main.messages LIMIT 1",
		"WITH messages AS (FROM messages WHERE kind = 'prompt') SELECT count(*) FROM messages", "FROM report_runs",
		"WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 3) FROM r",
		"WITH RECURSIVE r(k, n) USING KEY (k) AS (SELECT 1, 1 UNION ALL (WITH s AS (FROM r) SELECT k, (SELECT max(n) FROM recurring.r) + 1 FROM s WHERE n < 3)) FROM R", "SELECT column_name FROM duckdb_columns() LIMIT 1",
		"SELECT * FROM information_schema.tables LIMIT 1", "SELECT input->>'command', extra FROM tool_calls LIMIT 1",
	} {
		if got, err := tryRows(s, query, nil); err != nil || len(got) == 0 && query != "FROM report_runs" {
			t.Errorf("%s: %v, %v", query, got, err)
		}
	}
	if got := rows(t, s, `SELECT 1e309, -1e309, 'Infinity', 'x:Infinity,', '"value":NaN', 'NaN'::DOUBLE WHERE 1e309 > 1`); got[0] != `+Inf|-Inf|Infinity|x:Infinity,|"value":NaN|NaN` {
		t.Errorf("infinite numbers: %v", got)
	}
}

// TestSafeHoldsManyRows: rows of large logs lie in a file. Only the user can read the
// file, and Close removes it.
func TestSafeHoldsManyRows(t *testing.T) {
	whole.Test(t, "loads stores again and again, 1.4 s of processor time")
	t.Parallel()
	c := sampleHome(t)
	plain := enginetest.Shown(t, open(t, c))
	s := open(t, safely(c, engine.Safe{InMemory: 1}))
	enginetest.WantShown(t, s, plain)
	files, err := filepath.Glob(c.Store + ".session-*.tmp/*.duckdb")
	must(t, err)
	if len(files) != 1 {
		t.Fatalf("files: %v", files)
	}
	for _, path := range []string{files[0], filepath.Dir(files[0])} {
		info, err := os.Stat(path)
		must(t, err)
		if info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v", path, info.Mode())
		}
	}
	if _, err := tryRows(s, "FROM read_blob("+sqltext.Literal(files[0])+")", nil); err == nil {
		t.Error("the file is read")
	}
	must(t, s.Close())
	if left, _ := filepath.Glob(c.Store + ".session-*.tmp*"); len(left) != 0 {
		// The plain store's folder may remain.
		for _, l := range left {
			if l == filepath.Dir(files[0]) {
				t.Errorf("left: %v", left)
			}
		}
	}
}

// TestSafeWaysOut: each statement tries to leave DuckDB, or to reach hindsql's inner
// tables. Each known class of attack has an example.
func TestSafeWaysOut(t *testing.T) {
	whole.Test(t, "loads stores again and again, 0.9 s of processor time")
	t.Parallel()
	c := sampleHome(t)
	s := open(t, safely(c, engine.Safe{}))
	file := filepath.Join(t.TempDir(), "f.csv")
	must(t, os.WriteFile(file, []byte("secret\n1\n"), 0o600))
	store := sqltext.Literal(c.Store)
	for class, queries := range map[string][]string{
		"a file by its name":      {"FROM '" + file + "'", "SELECT 1 FROM (FROM '" + file + "')", `WITH x AS (WITH "` + file + `" AS (SELECT 1) SELECT 1) FROM x, "` + file + `"`},
		"a name of its own query": {`WITH RECURSIVE pg_settings AS (SELECT name, setting FROM pg_settings UNION SELECT 'a', 'b' WHERE false) FROM pg_settings`, `WITH RECURSIVE pg_settings AS (WITH b AS (SELECT name FROM pg_settings) FROM b UNION SELECT 'a' WHERE false) FROM pg_settings`, `WITH RECURSIVE "` + file + `" AS (FROM "` + file + `" UNION SELECT 2 WHERE false) FROM "` + file + `"`, `WITH "` + file + `" AS (SELECT 1) FROM recurring."` + file + `"`, `WITH RECURSIVE "` + file + `" AS (FROM recurring."` + file + `" UNION SELECT 2 WHERE false) FROM "` + file + `"`},
		"a name in small letters": {`WITH "pg_settİngs" AS (SELECT 1) FROM pg_settings`, `WITH "/etc/K" AS (SELECT 1) FROM "/etc/k"`},
		"a file by a function":    {"FROM read_csv('" + file + "')", "FROM read_text('" + file + "')", "FROM read_blob(" + store + ")", "FROM glob('/*')", "FROM parquet_metadata('x')", "FROM sniff_csv('" + file + "')"},
		"the store's file":        {"FROM read_duckdb(" + store + ", table_name = 'messages')", "ATTACH " + store + " AS x", "FROM duckdb_settings()", "SELECT current_setting('temp_directory')"},
		"SQL in a text":           {"FROM query('SELECT 1')", "FROM query_table('messages')", "FROM json_execute_serialized_sql(json_serialize_sql('SELECT 1'))", "FROM histogram(messages, kind)", "SELECT json_serialize_plan('FROM messages')"},
		"a query that acts":       {"FROM enable_logging('QueryLog')", "FROM force_checkpoint()", "FROM checkpoint('store')", "SELECT write_log('x')", "FROM truncate_duckdb_logs()", "SELECT setseed(0.1)"},
		"a statement":             {"CREATE TABLE x AS SELECT 1", "DELETE FROM messages", "SET threads = 1", "COPY messages TO '" + file + "'", "INSTALL httpfs", "LOAD httpfs", "BEGIN", "USE store", "PRAGMA version", "CALL pragma_version()", "EXPORT DATABASE 'x'", "PREPARE p AS SELECT 1", "CREATE SECRET (TYPE s3)", "EXPLAIN ANALYZE DELETE FROM messages", "DETACH store", "VACUUM", "PIVOT messages ON kind USING count(*)"},
		"the network":             {"FROM 'https://127.0.0.1:1/x.csv'", "FROM read_csv('https://127.0.0.1:1/x')", "FROM 's3://x/y.parquet'"},
		"memory at an address":    {"FROM arrow_scan(1, 2, 3)", "FROM seq_scan('messages')"},
		"the inner tables":        {"FROM hindsql_internal.messages", "FROM store.hindsql_internal.messages", "FROM memory.main.feed_messages", "SELECT log_line(1, 1)", "FROM pragma_storage_info('messages')"},
		"a size without a bound":  {"SELECT repeat('x', 1000000000)", "SELECT repeat('x', 1e309)", "SELECT lpad('x', 1000000000, 'y')", "SELECT format('{:>1000000000}', 1)", "SELECT format('{:>{}}', 1, 1000000000)", "SELECT printf('%*d', 1000000000, 1)", "SELECT len(range(1000000000))", "SELECT list_resize([1], n, 0) FROM range(1000000000) t(n)"},
		"time without work":       {"SELECT sleep_ms(100000)", "SELECT pg_sleep(100)"},
		"a hidden second one":     {"SELECT 1 /* ; */; DELETE FROM messages", "SELECT ';'; DROP VIEW messages"},
		"a clause behind another": {"FROM messages WHERE EXISTS (FROM read_text('" + file + "'))", "SELECT list_transform([1], lambda x: (SELECT count(*) FROM glob('/*')))", "SELECT 1 ORDER BY (SELECT 1 FROM '" + file + "')", "SELECT 1 LIMIT (SELECT count(*) FROM read_blob('/etc/passwd'))", "SELECT sum(1) OVER (ORDER BY current_setting('x'))", "SUMMARIZE '" + file + "'", "DESCRIBE FROM '" + file + "'"},
	} {
		for _, query := range queries {
			got, err := tryRows(s, query, nil)
			var wrong *engine.Error
			if !errors.As(err, new(*allow.Refused)) && !(errors.As(err, &wrong) && wrong.Kind == "parser") {
				t.Errorf("%s: %s: %v, %v", class, query, got, err)
			}
		}
	}
	if got := rows(t, s, "SELECT count(*) > 0 FROM messages"); got[0] != "true" {
		t.Error("the rows are gone")
	}
}

// TestSafeDoors: even without the check by the allow list, DuckDB's settings refuse
// files, settings and extensions.
func TestSafeDoors(t *testing.T) {
	whole.Test(t, "loads stores again and again, 0.8 s of processor time")
	t.Parallel()
	s := open(t, safely(sampleHome(t), engine.Safe{}))
	rows(t, s, "SELECT 1")
	for query, want := range map[string]string{
		"FROM read_text('/etc/passwd')": "file system operations are disabled",
		"SET threads = 1":               "configuration has been locked",
		"INSTALL httpfs":                "disabled",
		"FROM duckdb_settings() WHERE name = 'autoinstall_known_extensions' AND value <> 'false'": "",
	} {
		err := confined.Unchecked(context.Background(), s.Store.Pool(), query)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v", query, err)
		}
	}
}

// TestSafeKnowsAllFunctions: exactly one list has each function of the linked DuckDB.
func TestSafeKnowsAllFunctions(t *testing.T) {
	t.Parallel()
	db, err := sql.Open("duckdb", "")
	must(t, err)
	defer db.Close()
	list, err := db.Query("SELECT DISTINCT function_name, function_type IN ('table', 'table_macro') FROM duckdb_functions() WHERE function_type <> 'pragma'")
	must(t, err)
	defer list.Close()
	seen := 0
	for list.Next() {
		var name string
		var givesRows bool
		must(t, list.Scan(&name, &givesRows))
		seen++
		if _, known := allow.Known(name, givesRows); !known {
			t.Errorf("%s (as a table: %v): on no list; say in package allow whether a stranger may call it", name, givesRows)
		}
	}
	must(t, list.Err())
	if seen < 500 {
		t.Errorf("only %d functions", seen)
	}
}

func TestSafeScope(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.Write("a.jsonl", `{"session":"mine","project":"/w/shop"}`+"\n", line(1, ""), line(2, `,"call":"t1","refused":"t1"`))
	h.Write("b.jsonl", `{"session":"tree","project":"/w/shop/tree"}`+"\n", line(3, ""))
	h.Write("c.jsonl", `{"session":"other","project":"/w/shopping"}`+"\n", line(4, `,"call":"t2","refused":"t2"`), "broken\n")
	h.Write("d.jsonl", `{"session":"both","project":"/w/shop"}`+"\n", line(5, ""), `{"session":"theirs","project":"/w/other"}`+"\n", line(6, ""))
	h.Write("p.jsonl", `{"shared":"prompt","of":"other","text":"typed"}`+"\n")
	h.Sync()
	s := open(t, safely(h.Config(), engine.Safe{Projects: []string{"/w/shop/"}}))
	for query, want := range map[string][]string{
		"SELECT session_id FROM sessions ORDER BY ALL":                                   {"both", "mine", "tree"},
		"SELECT text FROM with_copies.messages ORDER BY ALL":                             {"text 1", "text 2", "text 3", "text 5"},
		"SELECT tool_use_id FROM rejections":                                             {"t1"},
		"SELECT count(*) FROM problems":                                                  {"0"},
		"SELECT count(*) FROM prompts":                                                   {"0"},
		"SELECT parse_filename(path) FROM sources ORDER BY ALL":                          {"a.jsonl", "b.jsonl"},
		"SELECT count(*) FROM search('text')":                                            {"4"},
		"SELECT sum(lines) FROM record_kinds":                                            {"5"},
		"SELECT count(raw(source_id, line)) FROM messages WHERE session_id = 'mine'":     {"2"},
		"SELECT count(raw(source_id, line + 2)) FROM messages WHERE session_id = 'both'": {"0"},
	} {
		if diff := cmp.Diff(want, rows(t, s, query)); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", query, diff)
		}
	}
}

// TestSafeScopeOfWorktrees: a worktree is in scope with its repository, wherever the
// worktree lies. A worktree known by name alone may belong to another repository.
func TestSafeScopeOfWorktrees(t *testing.T) {
	whole.Test(t, "loads stores again and again, 2.3 s of processor time")
	t.Parallel()
	const remote = "git@example.org:ada/shop.git"
	h := newHome(t)
	h.Reader.Worktrees = []string{"~/pool/NAME/REPO"}
	for name, session := range map[string][2]string{ // project, remote
		"main":     {"/w/shop", remote},
		"below":    {"/w/shop/.worktrees/a", ""},
		"beside":   {"/w/shop.worktrees/b/web", ""},
		"far":      {"/home/ada/pool/c/shop", remote},
		"unsaid":   {"/home/ada/pool/d/shop", ""},                   // has the repository's name, and no known remote
		"another":  {"/home/ada/pool/e/shop", "https://other/shop"}, // has the repository's name, and another remote
		"stranger": {"/elsewhere/shop", ""},
		"theirs":   {"/w/other/.worktrees/shop", remote},
		"shopping": {"/w/shopping.worktrees/a", remote},
		"nowhere":  {"", remote},
		"alone":    {"/w/alone", ""},
		"guess":    {"/home/ada/pool/f/alone", ""},
	} {
		h.Write(name+".jsonl", fmt.Sprintf(`{"session":%q,"project":%q,"remote":%q}`+"\n", name, session[0], session[1]), line(1, ""))
	}
	h.Write("p.jsonl", `{"shared":"prompt","of":"other","text":"typed"}`+"\n")
	h.Sync()
	for _, test := range []struct{ folder, want string }{
		{"/w/shop", "below beside far main"},
		{"/w/shop/", "below beside far main"},
		{"/w/shop/.worktrees/a", "below"},
		{"/home/ada/pool/c/shop", "far"},
		{"/w/alone", "alone"},
		{"/w/other", "theirs"},
		{"shop", "another below far main stranger theirs unsaid beside"},
	} {
		s := open(t, safely(h.Config(), engine.Safe{Projects: []string{test.folder}}))
		want := strings.Fields(test.want)
		slices.Sort(want)
		if diff := cmp.Diff(want, rows(t, s, "SELECT session_id FROM sessions ORDER BY ALL")); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", test.folder, diff)
		}
	}
	both := open(t, safely(h.Config(), engine.Safe{Projects: []string{"/w/alone", "/w/other"}}))
	if got := rows(t, both, "SELECT DISTINCT session_id FROM with_copies.messages ORDER BY ALL"); !slices.Equal(got, []string{"alone", "theirs"}) {
		t.Errorf("two folders: %v", got)
	}
	h.Write("main2.jsonl", `{"session":"late","project":"/w/alone.worktrees/g"}`+"\n", line(2, ""))
	h.Sync()
	if got := rows(t, both, "SELECT session_id FROM sessions ORDER BY ALL"); !slices.Equal(got, []string{"alone", "late", "theirs"}) {
		t.Errorf("after a sync: %v", got)
	}
}

func TestSafeRedacts(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.Write("a.jsonl", `{"session":"s","project":"/w"}`+"\n", line(1, `,"extra":"SECRET"`), `{"id":"u","text":"a SECRET b","call":"t1"}`+"\n")
	h.Sync()
	bounds := engine.Safe{Redact: func(text string, _ bool) string { return strings.ReplaceAll(text, "SECRET", "[gone]") }}
	s := open(t, safely(h.Config(), bounds))
	for query, want := range map[string]string{
		"SELECT text FROM messages WHERE uuid = 'u'":                                             "a [gone] b",
		"SELECT reverse(text) FROM messages WHERE uuid = 'u'":                                    "b ]enog[ a",
		"SELECT count(*) FROM with_copies.messages WHERE text LIKE '%SECRET%'":                   "0",
		"SELECT count(*) FROM search('SECRET')":                                                  "0",
		"SELECT contains(raw(source_id, line), 'SECRET') FROM messages WHERE uuid = 'u'":         "false",
		"SELECT contains(raw(source_id, line), '[gone]') FROM messages WHERE uuid = 'u'":         "true",
		"SELECT count(*) FROM messages m WHERE contains(CAST(m AS VARCHAR), 'SECRET')":           "0",
		"SELECT count(*) FROM problems p WHERE contains(hex(CAST(p AS VARCHAR)), hex('SECRET'))": "0",
	} {
		if got := rows(t, s, query); got[0] != want {
			t.Errorf("%s: %v, want %v", query, got, want)
		}
	}
}

func TestSafeBounds(t *testing.T) {
	whole.Test(t, "loads stores again and again, 2.0 s of processor time")
	t.Parallel()
	c := sampleHome(t)
	for what, test := range map[string]struct {
		bounds engine.Safe
		query  string
	}{
		"time":   {engine.Safe{Time: 3 * time.Second}, "SELECT count(*) FROM range(1000000) a, range(1000000) b WHERE a.range * b.range = 7"},
		"rows":   {engine.Safe{Rows: 10}, "FROM range(11)"},
		"memory": {engine.Safe{Memory: 60_000_000, Disk: 1_000_000}, "SELECT count(DISTINCT hash(range::VARCHAR)::VARCHAR) FROM range(20000000)"},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			s := open(t, safely(c, test.bounds))
			_, err := tryRows(s, test.query, nil)
			var limit *engine.Limit
			if !errors.As(err, &limit) || limit.What != what {
				t.Errorf("%v", err)
			}
			if got := rows(t, s, "SELECT 1 AS a, 2 AS a"); got[0] != "1|2" {
				t.Errorf("afterwards: %v", got)
			}
		})
	}
	ten := open(t, safely(c, engine.Safe{Rows: 10}))
	if got := rows(t, ten, "FROM range(10)"); len(got) != 10 {
		t.Errorf("%d rows of 10 allowed", len(got))
	}
	err := ten.HandOver(context.Background(), t.TempDir(), "q", "FROM range(11)", nil, func(h *engine.Handed) error {
		return h.Exec(context.Background(), "CREATE TABLE got AS "+h.From())
	})
	if !errors.As(err, new(*engine.Limit)) {
		t.Errorf("handed over: %v", err)
	}
}

// TestWithin: a user's own statement ends at the time bound of its context, and the
// next statement runs. In a safe store the shorter bound holds.
func TestWithin(t *testing.T) {
	whole.Test(t, "loads stores again and again, 1.3 s of processor time")
	t.Parallel()
	c := sampleHome(t)
	const long = "SELECT count(*) FROM range(1000000) a, range(1000000) b WHERE a.range * b.range = 7"
	short := engine.Within(engine.Within(context.Background(), 50*time.Millisecond), time.Hour)
	for what, test := range map[string]struct {
		session face
		ctx     context.Context
		want    string
	}{
		"plain":  {open(t, c), short, "stopped at the limit of time, 50 ms; ask for less"},
		"within": {open(t, safely(c, engine.Safe{})), short, "stopped at the limit of time, 50 ms; ask for less"},
		"safe":   {open(t, safely(c, engine.Safe{Time: 60 * time.Millisecond})), engine.Within(context.Background(), time.Hour), "safe: stopped at the limit of time, 60 ms; ask for less"},
	} {
		err := test.session.Query(test.ctx, "SELECT 1; "+long, nil, func(*result.Rows) error { return nil })
		var limit *engine.Limit
		if !errors.As(err, &limit) || err.Error() != test.want {
			t.Errorf("%s: %v", what, err)
		}
		if got := rows(t, test.session, "SELECT 1"); got[0] != "1" {
			t.Errorf("%s: afterwards %v", what, got)
		}
	}
	cancelled, cancel := context.WithCancel(engine.Within(context.Background(), time.Hour))
	cancel()
	if err := open(t, c).Query(cancelled, long, nil, func(*result.Rows) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestSafeStoreDoesNothingElse: no statement reaches the store's file through the
// Store's other interfaces either.
func TestSafeStoreDoesNothingElse(t *testing.T) {
	t.Parallel()
	s := open(t, safely(sampleHome(t), engine.Safe{}))
	ctx := context.Background()
	_, _, pruned := s.Prune(ctx, "")
	for what, err := range map[string]error{
		"write": s.Write(ctx, func(*engine.Writer) error { return nil }),
		"read":  s.Read(ctx, func(*engine.Reading) error { return nil }),
		"each":  s.Each(ctx, "SELECT 1", func(func(...any) error) error { return nil }),
		"prune": pruned,
	} {
		if err == nil {
			t.Errorf("%s is done", what)
		}
	}
	found, err := s.Complete(ctx, "SELECT * FROM mess", 18)
	if err != nil || !slices.Contains(found.Words, "messages") {
		t.Errorf("completion: %v, %v", found.Words, err)
	}
	var wrong *engine.Error
	err = s.Query(ctx, "SELECT 1;\nSELEC 2", nil, func(*result.Rows) error { return nil })
	if !errors.As(err, &wrong) || wrong.Line != 2 || wrong.Column != 1 || wrong.Snippet != "LINE 2: SELEC 2\n        ^" {
		t.Errorf("a mistake: %#v", err)
	}
}

// TestNoExtensionIsFetched: a statement that needs an extension gets an error, and
// hindsql sends no request to the network.
func TestNoExtensionIsFetched(t *testing.T) {
	whole.Test(t, "loads stores again and again, 0.6 s of processor time")
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer listener.Close()
	asked := make(chan bool, 1)
	go func() {
		_ = http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			http.NotFound(w, nil)
			select {
			case asked <- true:
			default:
			}
		}))
	}()
	s := open(t, sampleHome(t))
	rows(t, s, fmt.Sprintf("SET custom_extension_repository = 'http://%s'", listener.Addr()))
	for _, query := range []string{"FROM read_csv('https://127.0.0.1:1/x.csv')", "FROM 's3://x/y.parquet'", "ATTACH 'sqlite:x.db'"} {
		if _, err := tryRows(s, query, nil); err == nil || strings.Contains(err.Error(), "ailed to download") {
			t.Errorf("%s: %v", query, err)
		}
	}
	rows(t, s, "SET autoinstall_known_extensions = true; SET autoload_known_extensions = true") // as a user who wants extensions fetched
	if _, err := tryRows(s, "FROM read_csv('https://127.0.0.1:1/x.csv')", nil); err == nil {
		t.Error("no error")
	}
	select {
	case <-asked:
	case <-time.After(10 * time.Second):
		t.Error("the test would not see a download")
	}
}

package web_test

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"hindsql/engine"
	"hindsql/internal/result"
	"hindsql/internal/sqltext"
	"hindsql/internal/whole"
	"hindsql/queries"
	"hindsql/tables"
)

// sqlPath returns the path of a statement's page. more has further fields with their
// values.
func sqlPath(sql string, more ...string) string {
	v := url.Values{"sql": {sql}}
	for i := 0; i < len(more); i += 2 {
		v.Set(more[i], more[i+1])
	}
	return "/sql?" + v.Encode()
}

// inPlain runs SQL in a plain store of the sample, which may read files.
func inPlain(t testing.TB, sql string) [][]any {
	t.Helper()
	session, err := sampleServer().Source.Session(t.Context())
	must(t, err)
	defer session.Close()
	var set result.Set
	must(t, session.Engine().Query(t.Context(), sql, nil, func(rows *result.Rows) (err error) {
		set, err = result.Collect(rows)
		return err
	}))
	return set.Rows
}

// rowsOfFiles reads all files of a result, and returns their numbers of rows by format.
func (o *site) rowsOfFiles(urlOf func(format string) string) map[string]int {
	o.Helper()
	counts := map[string]int{}
	_, text := o.get(urlOf("csv"))
	records, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(records) == 0 {
		o.Fatalf("%s: %v %.300s", urlOf("csv"), err, text)
	}
	counts["csv"] = len(records) - 1
	_, text = o.get(urlOf("json"))
	var objects []map[string]any
	if err := json.Unmarshal([]byte(text), &objects); err != nil {
		o.Fatalf("%s: %v %.300s", urlOf("json"), err, text)
	}
	counts["json"] = len(objects)
	_, text = o.get(urlOf("ndjson"))
	counts["ndjson"] = strings.Count(text, "\n")
	status, text := o.get(urlOf("parquet"))
	path := filepath.Join(o.TempDir(), "x.parquet")
	must(o, os.WriteFile(path, []byte(text), 0o600))
	if status != http.StatusOK || !strings.HasPrefix(text, "PAR1") {
		o.Fatalf("%s: %d %.300s", urlOf("parquet"), status, text)
	}
	n, _ := inPlain(o, "SELECT count(*) FROM "+sqltext.Literal(path))[0][0].(int64)
	counts["parquet"] = int(n)
	return counts
}

// heading matches the number of rows in the heading of a result.
var heading = regexp.MustCompile(`<h2 id="result-title">(?:rows 1 to )?([\d,]+)`)

func (o *site) countShown(page string) string {
	o.Helper()
	m := heading.FindStringSubmatch(page)
	if m == nil {
		return "0"
	}
	return strings.ReplaceAll(m[1], ",", "")
}

// TestSavedQueriesAsPages checks that each query's page has as many rows as its files.
func TestSavedQueriesAsPages(t *testing.T) {
	o := onSample(t)
	all, err := queries.All("", agents()...)
	must(t, err)
	list := o.shows("/queries")
	for i, q := range all {
		t.Run(q.Name, func(t *testing.T) {
			o := &site{t, o.address, o.browser}
			if !strings.Contains(list, `href="/query/`+q.Name+`"`) {
				t.Error("is not listed")
			}
			whole.Most(t, i, 4, "the page of each query")
			path := "/query/" + q.Name
			page := o.shows(path, "<h1>"+q.Name+"</h1>", html.EscapeString(q.Title))
			for _, p := range q.AllParams() {
				if !strings.Contains(page, `name="`+p.Name+`"`) {
					t.Errorf("no field for %s", p.Name)
				}
			}
			whole.Most(t, i, 13, "files of each query in each format")
			counts := o.rowsOfFiles(func(format string) string { return path + "." + format })
			rows := counts["csv"]
			if none := strings.Contains(page, "No rows."); none != (rows == 0) {
				t.Errorf("%d rows, and the page says none: %v", rows, none)
			}
			for format, n := range counts {
				if n != rows {
					t.Errorf("%s: %d rows, csv %d", format, n, rows)
				}
			}
			if q.Total {
				rows--
			}
			if shown := o.countShown(page); shown != fmt.Sprint(rows) {
				t.Errorf("the page says %s rows, the files %d", shown, rows)
			}
			if q.Chart != nil && rows > 0 {
				chart := o.shows(path+"?_show=chart", `aria-current="true">Chart`)
				if !strings.Contains(chart, "<svg") {
					t.Error("no chart")
				}
			}
			open := regexp.MustCompile(`<a href="(/sql\?[^"]*)">Open in SQL`).FindStringSubmatch(page)
			if open == nil {
				t.Fatal("no way to the page of SQL")
			}
			again := o.shows(html.UnescapeString(open[1]))
			if counts := counts["csv"]; o.countShown(again) != fmt.Sprint(counts) {
				t.Errorf("opened in SQL it has %s rows, want %d", o.countShown(again), counts)
			}
		})
	}
}

func TestSavedQueryTakesValues(t *testing.T) {
	whole.Test(t, "loads the sample, 1.1 s of processor time")
	o := onSample(t)
	o.shows("/query/overview?top=3", "3 of 22 projects", `href="/query/overview?top=0">all of them</a>`, `value="3"`)
	o.shows("/query/overview?top=0", "22 projects")
	o.shows("/query/decision-time", " s</td>")
	o.shows("/query/rejections?agent=CODEX&decided_by=rule&top=", `<option value="codex" selected>`)
	o.fails("/query/rejections?since=neverr&agent=cod", http.StatusBadRequest, `id="w-agent"`, `aria-invalid="true"`, "did you mean codex?", `value="neverr"`)
	o.fails("/query/rejections?since=neverr", http.StatusBadRequest, `<p class="wrong" id="w-since">no moment`)
	o.fails("/query/rejections?top=many", http.StatusBadRequest, `id="w-top"`)
	o.fails("/query/rejections?top=-1", http.StatusBadRequest, `id="w-top"`)
	o.fails("/query/rejections?since=7d&during=today", http.StatusBadRequest, "is since and until at once")
	o.fails("/query/rejections?nothing=1", http.StatusBadRequest, "has no parameter")
	o.fails("/query/rejections.csv?since=neverr", http.StatusBadRequest, `id="w-since"`)
	o.fails("/query/rejectons", http.StatusNotFound, "did you mean rejections?")
	o.fails("/query/rejections.pdf", http.StatusNotFound)
	o.shows("/query/rejections?project=nowhere", "No project contains", "No rows.")
}

// TestQueriesOfTheUser checks that the user's queries are listed apart, take their own
// parameters, and run safely.
func TestQueriesOfTheUser(t *testing.T) {
	whole.Test(t, "loads stores again and again, 1.2 s of processor time")
	h := sampleHome(t)
	folder := filepath.Join(h.own, "queries")
	must(t, os.MkdirAll(folder, 0o700))
	for name, sql := range map[string]string{
		"mine":   "-- mine: my <b>own</b>\n--\n-- Prose & more.\n--\n-- param from_day DATE = NULL   a day\n-- param wide BOOLEAN = false   more\n-- param show VARCHAR = 'x' {x,y}   what\nSELECT $wide AS wide, $show AS shown, '<script>alert(1)</script>' AS \"<i>\", $from_day AS d, chr(27) || chr(8238) AS odd\n",
		"reader": "-- reader: reads\n--\n-- Prose.\nFROM read_text('/etc/passwd')\n",
	} {
		must(t, os.WriteFile(filepath.Join(folder, name+".sql"), []byte(sql), 0o600))
	}
	s, err := h.server()
	must(t, err)
	defer s.Close()
	o := open(t, s)
	must(t, os.WriteFile(filepath.Join(folder, "broken.sql"), []byte("-- broken: x\n-- parm a\nSELECT 1"), 0o600))
	o.shows("/queries", "Your own", `href="/query/mine"`, "my &lt;b&gt;own&lt;/b&gt;", "broken.sql:2")
	page := o.shows("/query/mine?wide=true&show=Y&from_day=2026-02-03", "&lt;script&gt;alert(1)&lt;/script&gt;", "&lt;i&gt;", "2026-02-03", "&lt;U&#43;202E&gt;", `<option value="y" selected>y</option>`)
	if strings.Contains(page, "<script>alert") || strings.Contains(page, "\u202e") || !strings.Contains(page, ">y<") {
		t.Errorf("%s", page)
	}
	o.fails("/query/reader", http.StatusBadRequest, "read_text")
	o.fails("/query/reader.csv", http.StatusBadRequest, "read_text")
	o.fails("/query/mine?wide=perhaps", http.StatusBadRequest, `id="w-wide"`)
}

func TestSQLPage(t *testing.T) {
	o := onSample(t)
	begin := o.shows("/sql", `<textarea id="sql" name="sql"`, `href="/table/sessions"`)
	for _, example := range regexp.MustCompile(`<li><a href="(/sql\?[^"]*)">`).FindAllStringSubmatch(begin, -1) {
		o.shows(html.UnescapeString(example[1]), `id="result-title"`)
	}
	o.shows(sqlPath("SELECT 1 AS n, '</textarea><script>' AS t, NULL AS nothing"), "1 row<", "&lt;/textarea&gt;&lt;script&gt;", "format=parquet")
	o.shows(sqlPath("SELECT session_id, agent FROM sessions WHERE agent = 'claude' LIMIT 1"), `href="/session/claude/`)
	o.shows(sqlPath("SELECT session_id || ':3' AS session FROM sessions WHERE agent = 'codex' LIMIT 1"), `href="/session/codex/`, "?from=0#m3")
	o.shows(sqlPath("SELECT count(*) AS n FROM sessions WHERE agent = $agent OR $other IS NOT NULL", "p.agent", "claude"), `name="p.agent" value="claude"`, `name="p.other" value=""`, "1 row<")
	o.shows(sqlPath("DESCRIBE sessions"), "session_id")
	o.shows(sqlPath("SELECT 0.1234567 AS x, 1234567 AS n"), "0.1234567", ">1234567<", ">n</th>")
	o.shows(sqlPath("SELECT 1 AS some_name, '<b>' AS \"<i>\""), ">some_name</th>", "&lt;i&gt;</th>")
	o.shows(sqlPath("SELECT agent, count(*) AS n FROM sessions GROUP BY agent", "_show", "chart"), "<svg")
	o.fails(sqlPath("SELECT 'a' AS a", "_show", "chart"), http.StatusBadRequest, "chart")
}

// TestPagesOfAResult checks that links lead through all rows, and that pages show the
// number of rows.
func TestPagesOfAResult(t *testing.T) {
	o := onSample(t)
	const sql = "SELECT range AS n FROM range(1200) ORDER BY n"
	page := o.shows(sqlPath(sql), "rows 1 to 500 of 1,200", `rel="next"`)
	for _, want := range []string{"rows 501 to 1,000 of 1,200", "rows 1,001 to 1,200 of 1,200"} {
		next := regexp.MustCompile(`href="([^"]*)#result" rel="next"`).FindStringSubmatch(page)
		if next == nil {
			t.Fatalf("no way on to %s", want)
		}
		page = o.shows(html.UnescapeString(next[1]), want, `rel="prev"`)
	}
	if strings.Contains(page, `rel="next"`) || !strings.Contains(page, ">1199<") {
		t.Errorf("%.3000s", page)
	}
	if counts := o.rowsOfFiles(func(format string) string { return sqlPath(sql, "format", format) }); counts["csv"] != 1200 || counts["parquet"] != 1200 {
		t.Errorf("%v", counts)
	}
}

// TestCells checks that a cut cell links to its whole text.
func TestCells(t *testing.T) {
	o := onSample(t)
	const sql = "SELECT n, CASE WHEN n = 2 THEN repeat('é<&' || chr(27), 600) ELSE 'x' END AS t FROM range(3) r(n) ORDER BY n"
	page := o.shows(sqlPath(sql), "…")
	link := regexp.MustCompile(`href="([^"]*_cell=2\.1[^"]*)"`).FindStringSubmatch(page)
	if link == nil {
		t.Fatalf("%s", page)
	}
	if status, text := o.get(html.UnescapeString(link[1])); status != http.StatusOK || text != strings.Repeat("é<&\x1b", 600) {
		t.Errorf("%d %.100q", status, text)
	}
	answer, err := o.browser.Get("http://" + o.address + html.UnescapeString(link[1]))
	must(t, err)
	answer.Body.Close()
	if kind := answer.Header.Get("Content-Type"); kind != "text/plain; charset=utf-8" {
		t.Error(kind)
	}
	o.fails(sqlPath(sql, "_cell", "7.1"), http.StatusNotFound, "no such cell")
}

// TestErrorsOfSQL checks that errors show their place, and that only queries run.
func TestErrorsOfSQL(t *testing.T) {
	o := onSample(t)
	o.fails(sqlPath("SELECT 1,\n  nope FROM sessions"), http.StatusBadRequest, `data-line="2" data-column="3"`, "LINE 2:   nope FROM sessions\n", `aria-invalid="true"`, "nope FROM sessions</textarea>")
	o.fails(sqlPath("SELEC 1"), http.StatusBadRequest, `data-line="1" data-column="1"`)
	o.fails(sqlPath("FROM nothing_there"), http.StatusBadRequest, "SHOW ALL TABLES lists them")
	for sql, want := range map[string]string{
		"FROM read_text('/etc/passwd')": "reads files", "FROM '/etc/passwd'": "", "COPY (SELECT 1) TO '/tmp/x'": "", "ATTACH 'x.db'": "", "SELECT 1; SELECT 2": "run one at a time",
		"DELETE FROM sessions": "", "SET threads = 1": "", "FROM 'https://example.org/x.csv'": "", "SELECT getenv('HOME')": "", "SELECT $1": "no value",
	} {
		o.fails(sqlPath(sql), http.StatusBadRequest, want, `class="fault"`)
		o.fails(sqlPath(sql, "format", "csv"), http.StatusBadRequest, want, `class="fault"`)
		o.fails(sqlPath(sql, "format", "parquet"), http.StatusBadRequest, `class="fault"`)
	}
	o.fails(sqlPath("SELECT 1", "format", "pdf"), http.StatusBadRequest, "csv, json, ndjson or parquet")
}

// TestBoundsOfSQL checks the limits of a statement. If a limit ends a statement while
// its file is sent, the response must be aborted.
func TestBoundsOfSQL(t *testing.T) {
	whole.Test(t, "loads the sample, 5.9 s of processor time")
	h := sampleHome(t)
	h.safe = engine.Safe{Rows: 100_000, Time: 3 * time.Second}
	s, err := h.server()
	must(t, err)
	defer s.Close()
	o := open(t, s)
	o.shows(sqlPath("SELECT 1"))
	o.fails(sqlPath("SELECT count(*) FROM range(1000000) a, range(1000000) b WHERE a.range * b.range = 7"), http.StatusServiceUnavailable, "stopped at the limit of time")
	o.shows(sqlPath("FROM range(1000000)"), "rows 1 to 500 of 1,000,000")
	o.fails(sqlPath("FROM range(100001)", "format", "parquet"), http.StatusServiceUnavailable, "stopped at the limit of rows")
	answer, err := o.browser.Get("http://" + o.address + sqlPath("SELECT range, repeat('x', 100) FROM range(100001)", "format", "csv"))
	must(t, err)
	defer answer.Body.Close()
	if text, err := io.ReadAll(answer.Body); err == nil || answer.StatusCode != http.StatusOK {
		t.Errorf("%d bytes of a file that isn't whole came as one: %d, %v", len(text), answer.StatusCode, err)
	}
	if counts := o.rowsOfFiles(func(format string) string { return sqlPath("FROM range(100000)", "format", format) }); counts["csv"] != 100_000 {
		t.Errorf("%v", counts)
	}
}

const endless = "SELECT count(*) FROM range(1000000) a, range(1000000) b WHERE a.range * b.range = 7"

// runs returns the ids of the running statements.
func (o *site) runs() (ids []string) {
	o.Helper()
	for _, m := range regexp.MustCompile(`action="/running/(\w+)/cancel"`).FindAllStringSubmatch(o.shows("/running"), -1) {
		ids = append(ids, m[1])
	}
	return ids
}

// waitFor waits until n statements run.
func (o *site) waitFor(n int) []string {
	o.Helper()
	for until := time.Now().Add(20 * time.Second); time.Now().Before(until); time.Sleep(20 * time.Millisecond) {
		if ids := o.runs(); len(ids) == n {
			return ids
		}
	}
	o.Fatalf("%d statements run, want %d", len(o.runs()), n)
	return nil
}

// TestCancel checks that another page can cancel a statement, and that a statement ends
// when its client is gone. Pages of other sites can't cancel.
func TestCancel(t *testing.T) {
	s, err := sampleHome(t).server()
	must(t, err)
	defer s.Close()
	o := open(t, s)
	o.shows("/running", "Nothing runs.")
	type page struct {
		status int
		text   string
	}
	ended := make(chan page)
	go func() {
		status, text := o.get(sqlPath(endless))
		ended <- page{status, text}
	}()
	id := o.waitFor(1)[0]
	o.shows("/running", "a.range * b.range", "Cancel</button>")
	path := "http://" + o.address + "/running/" + id + "/cancel"
	foreign, err := http.NewRequest(http.MethodPost, path, nil)
	must(t, err)
	foreign.Header.Set("Origin", "http://evil.example")
	for _, send := range []func() (*http.Response, error){
		func() (*http.Response, error) { return o.browser.Do(foreign) }, func() (*http.Response, error) { return http.Post(path, "", nil) },
		func() (*http.Response, error) { return o.browser.Get(path) },
	} {
		answer, err := send()
		must(t, err)
		answer.Body.Close()
		if answer.StatusCode < 400 || len(o.runs()) != 1 {
			t.Fatalf("%d", answer.StatusCode)
		}
	}
	answer, err := o.browser.Post(path, "", nil)
	must(t, err)
	answer.Body.Close()
	if got := <-ended; got.status != http.StatusServiceUnavailable || !strings.Contains(got.text, "The statement was cancelled.") {
		t.Errorf("%d %s", got.status, got.text)
	}
	o.waitFor(0)

	ctx, leave := context.WithCancel(context.Background())
	closed, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+o.address+sqlPath(endless, "format", "csv"), nil)
	must(t, err)
	gone := make(chan error)
	go func() {
		_, err := o.browser.Do(closed) //nolint:bodyclose // no body comes
		gone <- err
	}()
	o.waitFor(1)
	leave()
	if err := <-gone; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	o.waitFor(0)
}

// TestTablesAsPages checks that each table has a page and downloads.
func TestTablesAsPages(t *testing.T) {
	o := onSample(t)
	list := o.shows("/tables", "search(", "Run this")
	for i, table := range tables.Shown() {
		if !strings.Contains(list, `href="/table/`+table.Name+`"`) {
			t.Errorf("%s is not listed", table.Name)
		}
		if i%whole.Or(1, 4) != 0 {
			continue
		}
		page := o.shows("/table/"+table.Name, "<h1>"+table.Name+"</h1>", "Parquet", html.EscapeString(table.Columns[0].Doc))
		n := fmt.Sprint(inPlain(t, "SELECT count(*) FROM "+table.Name)[0][0])
		if !strings.Contains(strings.ReplaceAll(page, ",", ""), n+" row") && !strings.Contains(strings.ReplaceAll(page, ",", ""), "of "+n+"<") {
			t.Errorf("%s: no %s rows", table.Name, n)
		}
	}
	o.fails("/table/store.rejections", http.StatusNotFound)
	o.fails("/table/rejection", http.StatusNotFound, "did you mean rejections?")
	o.shows("/table/rejections", `href="/refusal/claude/`, `href="/session/claude/`)
	counts := o.rowsOfFiles(func(format string) string { return "/table/with_copies.messages." + format })
	if want := inPlain(t, "SELECT count(*) FROM with_copies.messages")[0][0]; fmt.Sprint(counts["parquet"]) != fmt.Sprint(want) || counts["csv"] != counts["parquet"] {
		t.Errorf("%v, want %v", counts, want)
	}
}

func TestCompletion(t *testing.T) {
	o := onSample(t)
	ask := func(sql string, at int) (found struct {
		Start int
		Words []string
	}) {
		t.Helper()
		text := o.shows("/complete?" + url.Values{"sql": {sql}, "at": {fmt.Sprint(at)}}.Encode())
		must(t, json.Unmarshal([]byte(text), &found))
		return found
	}
	if got := ask("SELECT '😀é', tool_na FROM rejections", 21); got.Start != 14 || len(got.Words) == 0 || got.Words[0] != "tool_name" {
		t.Errorf("%+v", got)
	}
	if got := ask("FROM sess", 9); got.Start != 5 || got.Words[0] != "sessions" || slices.Contains(got.Words, "session_notes") {
		t.Errorf("%+v", got)
	}
	for _, sql := range []string{"FROM '/etc/pass", "FROM read_text('/etc/pass", "FROM read_csv('/e"} {
		if got := ask(sql, len(sql)); len(got.Words) > 0 {
			t.Errorf("%s: %+v", sql, got)
		}
	}
	ask("SELECT 1", 5000)
	o.fails("/complete?sql=x&at=-1", http.StatusBadRequest)
}

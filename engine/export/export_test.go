package export_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hindsql/engine/enginetest"
	"hindsql/engine/export"
	"hindsql/internal/whole"
	"hindsql/tables"
)

func mustExport(t testing.TB, s face, o export.Options) export.Report {
	t.Helper()
	if o.Format == "" {
		o.Format = export.Parquet
	}
	report, err := export.Run(context.Background(), s.Session, o)
	must(t, err)
	return report
}

var byDay = []string{"agent", "day"}

func names(files map[string]time.Time) []string {
	var list []string
	for name := range files {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}

// userTables returns the tables that users export.
func userTables() (list []*tables.Table) {
	for _, t := range tables.Views() {
		if !t.HasCopies() {
			list = append(list, t)
		}
	}
	return list
}

// TestExportHoldsAllRows: in every format and layout, the exported rows equal the
// tables' rows.
func TestExportHoldsAllRows(t *testing.T) {
	whole.Test(t, "loads stores again and again, 3.6 s of processor time")
	t.Parallel()
	s := open(t, sampleHome(t))
	dir := t.TempDir()
	byDay := func(name string) string { return filepath.Join(dir, "days", name, "**", "*.parquet") }
	mustExport(t, s, export.Options{Dir: filepath.Join(dir, "whole")})
	mustExport(t, s, export.Options{Dir: filepath.Join(dir, "days"), PartitionBy: []string{"agent", "day"}})
	mustExport(t, s, export.Options{Dir: filepath.Join(dir, "csv"), Format: export.CSV})
	mustExport(t, s, export.Options{Dir: filepath.Join(dir, "nd"), Format: export.NDJSON})
	mustExport(t, s, export.Options{Dir: filepath.Join(dir, "json"), Format: export.JSON})
	for _, table := range userTables() {
		rest := "read_parquet('" + byDay(table.Name) + "', hive_partitioning = true)"
		if _, err := os.Stat(filepath.Join(dir, "days", table.Name)); err != nil {
			rest = "'" + filepath.Join(dir, "days", table.Name+".parquet") + "'"
		}
		columns := make([]string, len(table.Columns))
		for i, c := range table.Columns {
			if columns[i] = c.Name; c.Type == "JSON" {
				columns[i] = "CAST(" + c.Name + " AS VARCHAR)" // JSON is text in the files
			}
		}
		list := strings.Join(columns, ", ")
		want := rows(t, s, "SELECT md5(CAST(t AS VARCHAR)) FROM (SELECT "+list+" FROM "+table.Name+") AS t ORDER BY ALL")
		for _, from := range []string{"'" + filepath.Join(dir, "whole", table.Name+".parquet") + "'", rest} {
			got := rows(t, s, "SELECT md5(CAST(t AS VARCHAR)) FROM (SELECT "+list+" FROM "+from+") AS t ORDER BY ALL")
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: %s (-want +got)\n%.1000s", table.Name, from, diff)
			}
		}
		for _, from := range []string{"read_csv('" + filepath.Join(dir, "csv", table.Name) + ".csv', all_varchar = true)",
			"read_ndjson_objects('" + filepath.Join(dir, "nd", table.Name) + ".ndjson')",
			"read_json_objects('" + filepath.Join(dir, "json", table.Name) + ".json', format = 'array')"} {
			if got := rows(t, s, "SELECT count(*) FROM "+from); got[0] != rows(t, s, "SELECT count(*) FROM "+table.Name)[0] {
				t.Errorf("%s: %s rows in %s", table.Name, got, from)
			}
		}
	}
	// Text formats write times as RFC 3339, and JSON formats write a JSON column as a
	// value.
	asText := "strftime(timestamp AT TIME ZONE 'UTC', '%Y-%m-%dT%H:%M:%S.%fZ')"
	inCSV := "SELECT timestamp, agent, host FROM read_csv('" + filepath.Join(dir, "csv", "tool_calls.csv") + "', all_varchar = true) ORDER BY ALL"
	if diff := cmp.Diff(rows(t, s, "SELECT "+asText+", agent, 'here' FROM tool_calls ORDER BY ALL"), rows(t, s, inCSV)); diff != "" {
		t.Errorf("times of tool calls in CSV (-want +got)\n%.2000s", diff)
	}
	want := rows(t, s, "SELECT strftime(timestamp AT TIME ZONE 'UTC', '%Y-%m-%dT%H:%M:%S.%fZ'), json_type(input) FROM tool_calls ORDER BY ALL")
	got := rows(t, s, "SELECT json->>'timestamp', json_type(json->'input') FROM read_ndjson_objects('"+filepath.Join(dir, "nd", "tool_calls.ndjson")+"') ORDER BY ALL")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("times and inputs of tool calls (-want +got)\n%.2000s", diff)
	}
}

// TestExportPartitions: days begin in the session's time zone. A row without a time
// gets the day of its session, or otherwise the day of its file.
func TestExportPartitions(t *testing.T) {
	whole.Test(t, "exports each table, 0.6 s of processor time")
	t.Parallel()
	h := newHome(t)
	h.Write("a.jsonl", `{"session":"s1"}`+"\n", `{"id":"u1","at":"2026-01-01T23:30:00Z","text":"late"}`+"\n", `{"id":"u2","text":"timeless"}`+"\n")
	h.Write("b.jsonl", `{"session":"s2"}`+"\n", `{"id":"u3","text":"nothing known"}`+"\n")
	at := time.Date(2026, 1, 2, 23, 30, 0, 0, time.UTC)
	must(t, os.Chtimes(h.Path("b.jsonl"), at, at))
	h.Sync()
	c := h.Config()
	c.Timezone = "Europe/Berlin"
	dir := t.TempDir()
	mustExport(t, open(t, c), export.Options{Dir: dir, PartitionBy: []string{"agent", "day"}})
	h.Want("SELECT agent, day, text FROM read_parquet('"+dir+"/messages/**/*.parquet', hive_partitioning = true, hive_types_autocast = false) ORDER BY text",
		"toy|2026-01-02|late", "toy|2026-01-03|nothing known", "toy|2026-01-02|timeless")
	// Each file also has the partition columns, for readers of single files.
	h.Want("SELECT DISTINCT agent, host, day FROM read_parquet('"+dir+"/messages/**/*.parquet', hive_partitioning = false) ORDER BY ALL", "toy|here|2026-01-02", "toy|here|2026-01-03")
	for name := range enginetest.Files(t, dir) {
		if strings.Contains(name, "__HIVE_DEFAULT_PARTITION__") {
			t.Errorf("%s: not every reader knows that name", name)
		}
	}
	for _, full := range []string{"sources", "problems", "record_kinds", "rejections"} {
		if _, ok := enginetest.Files(t, dir)[full+".parquet"]; !ok {
			t.Errorf("%s isn't in one file: %v", full, names(enginetest.Files(t, dir)))
		}
	}
	mustExport(t, h.Open(), export.Options{Dir: filepath.Join(dir, "agent"), PartitionBy: []string{"agent"}, Tables: []string{"sources", "clears"}})
	if diff := cmp.Diff([]string{".hindsql-export.json", "clears.parquet", "sources/agent=toy/data_0.parquet"}, names(enginetest.Files(t, filepath.Join(dir, "agent")))); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestExportFilters(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.Write("a.jsonl", `{"session":"s1"}`+"\n", line(1, ""), line(2, ""), line(3, ""))
	h.Write("b.jsonl", `{"session":"s2"}`+"\n", line(14, ""), line(15, ""))
	h.Sync()
	at := func(second int) export.Moment {
		return export.Moment{Text: "then", At: time.Date(2026, 1, 1, 0, 0, second, 0, time.UTC)}
	}
	for _, test := range []struct {
		name string
		o    export.Options
		want []string // sessions, messages
	}{
		{"all", export.Options{}, []string{"2|5|2"}},
		{"since", export.Options{Since: at(2)}, []string{"1|4|2"}},
		{"until", export.Options{Until: at(3)}, []string{"1|2|2"}},
		{"both", export.Options{Since: at(2), Until: at(15)}, []string{"1|3|2"}},
		{"agent", export.Options{Agents: []string{"toy"}}, []string{"2|5|2"}},
		{"other agents", export.Options{Agents: []string{"x", "y'"}}, []string{"0|0|0"}},
		{"project", export.Options{Project: "it's no project"}, []string{"0|0|0"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.o.Dir = t.TempDir()
			mustExport(t, h.Open(), test.o)
			got := rows(t, h.Open(), strings.ReplaceAll("SELECT (SELECT count(*) FROM '$/sessions.parquet'), (SELECT count(*) FROM '$/messages.parquet'), (SELECT count(*) FROM '$/sources.parquet')", "$", test.o.Dir))
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestExportQuery(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	dir := t.TempDir()
	q := &export.Query{Name: "q", SQL: "SELECT i, 'a/b=' || i % $n AS part, [i] AS list FROM range(4) t(i) ORDER BY i DESC -- end", Args: map[string]any{"n": 2}}
	mustExport(t, h.Open(), export.Options{Dir: dir, Query: q, PartitionBy: []string{"part"}})
	h.Want("SELECT i, part, list FROM read_parquet('"+dir+"/q/*/*.parquet', hive_partitioning = true) ORDER BY i", "0|a/b=0|[0]", "1|a/b=1|[1]", "2|a/b=0|[2]", "3|a/b=1|[3]")
	var out strings.Builder
	mustExport(t, h.Open(), export.Options{Dir: export.Stdout, Out: &out, Format: export.CSV, Query: q})
	if want := "i,part,list\n3,a/b=1,[3]\n2,a/b=0,[2]\n1,a/b=1,[1]\n0,a/b=0,[0]\n"; out.String() != want {
		t.Errorf("standard output %q, want %q", out.String(), want)
	}
	for want, o := range map[string]export.Options{
		"one statement that gives rows":           {Query: &export.Query{Name: "q", SQL: "SELECT 1; SELECT 2"}},
		"unknown; one may partition by i":         {Query: &export.Query{Name: "q", SQL: "SELECT 1 AS i"}, PartitionBy: []string{"day"}},
		"null in 1 rows, for which no folder":     {Query: &export.Query{Name: "q", SQL: "SELECT unnest([1, NULL]) AS i"}, PartitionBy: []string{"i"}},
		"select it as JSON or VARCHAR":            {Query: &export.Query{Name: "q", SQL: "SELECT MAP {'a': 'b'} AS x"}, Redact: upperCase{}},
		"one may partition by agent and day":      {PartitionBy: []string{"model"}},
		"table \"pending_links\": unknown":        {Tables: []string{"pending_links"}},
		"format \"xml\": unknown":                 {Format: "xml"},
		"two exports; give one":                   {Tables: []string{"sessions"}, Query: q},
		"standard output: takes one table":        {Dir: export.Stdout, Format: export.CSV},
		"has conditions of its own":               {Query: q, Project: "x"},
		"sessions: whole sessions":                {Format: export.Unified, PartitionBy: []string{"day"}},
		"binder error: Referenced column \"nix\"": {Query: &export.Query{Name: "q", SQL: "SELECT nix"}},
	} {
		if o.Dir == "" {
			o.Dir = t.TempDir()
		}
		if o.Format == "" {
			o.Format = export.Parquet
		}
		if _, err := export.Run(context.Background(), h.Open().Session, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %s", err, want)
		}
		if left := names(enginetest.Files(t, dir)); slices.ContainsFunc(left, func(n string) bool { return strings.Contains(n, ".tmp") }) {
			t.Errorf("left behind: %v", left)
		}
	}
}

// upperCase is a redactor for tests.
type upperCase struct{}

func (upperCase) Redact(text string, isJSON bool) string {
	if isJSON {
		return `{"was":` + strings.ToUpper(text) + `}`
	}
	return strings.ToUpper(text)
}

func (upperCase) Rules() string { return "upper" }

// TestExportRedacts: every text column is redacted except agent, which joins tables.
func TestExportRedacts(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.Write("a.jsonl", `{"session":"s1"}`+"\n", line(1, `,"call":"c1"`))
	h.Sync()
	dir := t.TempDir()
	mustExport(t, h.Open(), export.Options{Dir: dir, Redact: upperCase{}, PartitionBy: []string{"agent"}, Format: export.Parquet})
	h.Want("SELECT agent, session_id, text, line FROM read_parquet('"+dir+"/messages/*/*.parquet', hive_partitioning = true)", "toy|S1|TEXT 1|2")
	h.Want("SELECT typeof(input), input, command FROM '"+dir+"/tool_calls/*/*.parquet'", `VARCHAR|{"was":{"A":1}}|MAKE`)
	var out strings.Builder
	mustExport(t, h.Open(), export.Options{Dir: export.Stdout, Out: &out, Redact: upperCase{}, Format: export.CSV,
		Query: &export.Query{Name: "q", SQL: "SELECT ['a', NULL] AS list, NULL::VARCHAR AS n, 'x' AS agent"}})
	if want := "list,n,agent\n\"[A, NULL]\",,x\n"; out.String() != want {
		t.Errorf("standard output %q, want %q", out.String(), want)
	}
	var objects strings.Builder
	mustExport(t, h.Open(), export.Options{Dir: export.Stdout, Out: &objects, Redact: upperCase{}, Format: export.Unified})
	if !strings.HasPrefix(objects.String(), `{"was":{"TYPE":"SESSION"`) {
		t.Errorf("session objects %q", objects.String())
	}
}

// hush is a redactor that knows one secret.
type hush struct{}

func (hush) Redact(text string, _ bool) string { return strings.ReplaceAll(text, "hunter2", "[gone]") }

func (hush) Rules() string { return "hush" }

// TestExportRedactsQueries: redaction covers the SQL in the manifest and the metadata,
// the names of columns and folders, and a query's column named agent.
func TestExportRedactsQueries(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.Write("a.jsonl", `{"session":"s1"}`+"\n", line(1, ""))
	h.Sync()
	dir := t.TempDir()
	mustExport(t, h.Open(), export.Options{Dir: dir, Redact: hush{}, PartitionBy: []string{"part"}, Format: export.Parquet, Query: &export.Query{
		Name: "q", SQL: "SELECT 'hunter2', 'hunter2' AS part, 'the word is hunter2 today' AS agent, $word AS word FROM messages WHERE text <> 'hunter2'", Args: map[string]any{"word": "hunter2"}}})
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if strings.Contains(path+string(text), "hunter2") {
			t.Errorf("%s: has the secret", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	h.Want("SELECT agent, word, part FROM read_parquet('"+dir+"/q/*/*.parquet', hive_partitioning = true)", "the word is [gone] today|[gone]|[gone]")
	h.Want("SELECT count(*) FROM parquet_kv_metadata('"+dir+"/q/*/*.parquet') WHERE key = 'hindsql.query' AND contains(value::VARCHAR, '[gone]')", "1")
}

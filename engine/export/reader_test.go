package export_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"hindsql/engine/export"
	"hindsql/internal/whole"
	"hindsql/tables"
)

// TestParquetForOthers reads an export with a Parquet reader other than DuckDB's.
func TestParquetForOthers(t *testing.T) {
	whole.Test(t, "exports each table, 1 s of processor time")
	t.Parallel()
	s := open(t, sampleHome(t))
	dir := t.TempDir()
	mustExport(t, s, export.Options{Dir: dir})
	for _, table := range userTables() {
		t.Run(table.Name, func(t *testing.T) {
			f, err := file.OpenParquetFile(filepath.Join(dir, table.Name+".parquet"), false)
			must(t, err)
			defer f.Close()
			r, err := pqarrow.NewFileReader(f, pqarrow.ArrowReadProperties{}, memory.DefaultAllocator)
			must(t, err)
			data, err := r.ReadTable(context.Background())
			must(t, err)
			defer data.Release()
			if want := rows(t, s, "SELECT count(*) FROM "+table.Name)[0]; want != jsonText(data.NumRows()) {
				t.Errorf("%d rows, want %s", data.NumRows(), want)
			}
			wantTypes(t, table, data.Schema(), f)
			wantComments(t, table, f)
		})
	}
}

func jsonText(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func wantTypes(t *testing.T, table *tables.Table, got *arrow.Schema, f *file.Reader) {
	t.Helper()
	types := map[string]string{
		"VARCHAR": "utf8", "JSON": "utf8", "BIGINT": "int64", "INTEGER": "int32", "DOUBLE": "float64", "BOOLEAN": "bool",
		"TIMESTAMPTZ": "timestamp[us, tz=UTC]", "INTEGER[]": "list<element: int32, nullable>", "VARCHAR[]": "list<element: utf8, nullable>",
		tables.AnswersType: "list<element: struct<question: utf8 nullable, options: list<element: utf8, nullable> nullable, picked: list<element: utf8, nullable> nullable, words: utf8 nullable>, nullable>",
	}
	columns := exportedColumns(table)
	if got.NumFields() != len(columns) {
		t.Fatalf("%d columns, want %d", got.NumFields(), len(columns))
	}
	for i, c := range columns {
		if field := got.Field(i); field.Name != c.Name || field.Type.String() != types[c.Type] {
			t.Errorf("column %d is %s %s, want %s %s", i, field.Name, field.Type, c.Name, types[c.Type])
		}
	}
	// Readers combine files of one table, even if only some files have nulls.
	root := f.MetaData().Schema.Root()
	for i := range root.NumFields() {
		if field := root.Field(i); field.RepetitionType() != parquet.Repetitions.Optional {
			t.Errorf("%s is %s, want optional", field.Name(), field.RepetitionType())
		}
	}
}

// exportedColumns returns a table's columns, and the host column of every exported row.
func exportedColumns(table *tables.Table) []tables.Column {
	host := tables.Column{Name: "host", Type: "VARCHAR", Doc: "machine the log lies on; of what is no log's, the one that exported it"}
	if slices.ContainsFunc(table.Columns, func(c tables.Column) bool { return c.Name == host.Name }) {
		return table.Columns
	}
	return append(slices.Clone(table.Columns), host)
}

func wantComments(t *testing.T, table *tables.Table, f *file.Reader) {
	t.Helper()
	meta := f.MetaData().KeyValueMetadata()
	value := func(key string) string {
		if v := meta.FindValue(key); v != nil {
			return *v
		}
		return ""
	}
	want := map[string]string{"hindsql.schema": tables.SchemaHash(), "hindsql.host": "here", "hindsql.table": table.Name, "hindsql.doc": table.Doc}
	got := map[string]string{}
	for key := range want {
		got[key] = value(key)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("metadata (-want +got)\n%s", diff)
	}
	docs, comments := map[string]string{}, map[string]string{}
	must(t, json.Unmarshal([]byte(value("hindsql.columns")), &comments))
	for _, c := range exportedColumns(table) {
		docs[c.Name] = c.Doc
	}
	if diff := cmp.Diff(docs, comments); diff != "" {
		t.Errorf("comments (-want +got)\n%s", diff)
	}
}

// TestSessionObjects: every session of the sample, of every agent, becomes an object
// that is valid by the published schema and has all rows.
func TestSessionObjects(t *testing.T) {
	whole.Test(t, "exports each session, 0.9 s of processor time")
	t.Parallel()
	s := open(t, sampleHome(t))
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "session.schema.json"))
	must(t, err)
	var declared jsonschema.Schema
	must(t, json.Unmarshal(text, &declared))
	resolved, err := declared.Resolve(nil)
	must(t, err)
	var out bytes.Buffer
	report := mustExport(t, s, export.Options{Dir: export.Stdout, Out: &out, Format: export.Unified})
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if int64(len(lines)) != report.Rows {
		t.Errorf("%d lines, reported %d", len(lines), report.Rows)
	}
	var got []string
	for _, line := range lines {
		var object map[string]any
		must(t, json.Unmarshal([]byte(line), &object))
		if err := resolved.Validate(object); err != nil {
			t.Errorf("%.300s: %v", line, err)
		}
		got = append(got, partsOf(object))
	}
	slices.Sort(got)
	want := rows(t, s, `SELECT json_array(s.agent, s.session_id, `+countsOf("with_copies.messages", "with_copies.tool_calls", "with_copies.compactions", "with_copies.clears", "with_copies.interruptions", "with_copies.rejections")+`)
		FROM sessions s ORDER BY 1`)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// partsOf returns an object's agent and session, and the number of rows in each part.
func partsOf(object map[string]any) string {
	session := object["session"].(map[string]any)
	list := []any{session["agent"], session["session_id"]}
	for _, part := range []any{object["messages"], object["tool_calls"], object["compaction"].(map[string]any)["boundaries"],
		object["context_clears"], object["interruptions"], object["rejections"]} {
		list = append(list, len(part.([]any)))
	}
	return jsonText(list)
}

func countsOf(names ...string) string {
	var list []string
	for _, t := range names {
		list = append(list, "(SELECT count(*) FROM "+t+" t WHERE t.agent = s.agent AND t.session_id = s.session_id)")
	}
	return strings.Join(list, ", ")
}

// TestSessionObjectsInBatches: each session is exported once, however many statements
// the export takes. A JSON column is a value, not text.
func TestSessionObjectsInBatches(t *testing.T) {
	whole.Test(t, "loads stores again and again, 2.5 s of processor time")
	t.Parallel()
	h := newHome(t)
	for i := range 5 {
		h.Write(string(rune('a'+i))+".jsonl", `{"session":"s`+string(rune('0'+i))+`"}`+"\n", `{"id":"u`+string(rune('0'+i))+`","at":"2026-01-01T00:00:0`+string(rune('9'-i))+`Z","text":"`+strings.Repeat("x", 12<<20)+`","call":"c`+string(rune('0'+i))+`"}`+"\n")
	}
	h.Sync()
	var out bytes.Buffer
	mustExport(t, h.Open(), export.Options{Dir: export.Stdout, Out: &out, Format: export.Unified})
	var ids []string
	for _, line := range strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n") {
		var object struct {
			Session   struct{ Session_id string }
			Messages  []struct{ Text, Timestamp string }
			ToolCalls []struct{ Input map[string]int } `json:"tool_calls"`
		}
		must(t, json.Unmarshal([]byte(line), &object))
		ids = append(ids, object.Session.Session_id)
		if len(object.Messages) != 1 || len(object.Messages[0].Text) != 12<<20 || len(object.ToolCalls) != 1 || object.ToolCalls[0].Input["a"] != 1 {
			t.Errorf("%s: wrong parts: %d messages, %+v", object.Session.Session_id, len(object.Messages), object.ToolCalls)
		}
	}
	slices.Sort(ids)
	if diff := cmp.Diff([]string{"s0", "s1", "s2", "s3", "s4"}, ids); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

package lake

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"hindsql/cmd/hindsql-lake/resttest"
	"hindsql/engine/fleet/landing"
	"hindsql/tables"
)

// toy lists columns by table, as machines land them, in the order of a test's rows.
var toy = map[string][]landing.Column{
	"messages": {{Name: "agent", Type: "VARCHAR"}, {Name: "timestamp", Type: "TIMESTAMPTZ"}, {Name: "session_id", Type: "VARCHAR"}, {Name: "uuid", Type: "VARCHAR"},
		{Name: "text", Type: "VARCHAR", Doc: "what was said"}, {Name: "machine", Type: "VARCHAR"}},
	"record_kinds": {{Name: "agent", Type: "VARCHAR"}, {Name: "kind", Type: "VARCHAR"}, {Name: "lines", Type: "BIGINT"}},
}

// world is a landing, a catalog and a clock.
type world struct {
	t       testing.TB
	dir     string // the landing
	rest    *resttest.Server
	now     time.Time
	said    []string
	columns map[string][]landing.Column
	config  Config
}

func newWorld(t testing.TB) *world {
	w := &world{t: t, dir: t.TempDir(), now: time.Now(), columns: map[string][]landing.Column{}}
	for name, c := range toy {
		w.columns[name] = c
	}
	w.rest = &resttest.Server{Warehouse: "file://" + t.TempDir()}
	server := httptest.NewServer(w.rest.Handler())
	t.Cleanup(server.Close)
	w.config = Config{Source: w.dir, Catalog: server.URL, Namespace: "hindsql", Owner: "test",
		Print: func(s string) { w.said = append(w.said, s) }, Now: func() time.Time { return w.now }}
	return w
}

func (w *world) open() *Lake {
	w.t.Helper()
	l, err := Open(context.Background(), w.config)
	w.must(err)
	return l
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) commit() *Result {
	w.t.Helper()
	r, err := w.open().Commit(context.Background())
	w.must(err)
	return r
}

// message returns a row of messages.
func message(day, session, uuid, text, machine string) []any {
	at, _ := time.Parse(time.DateOnly, day)
	if day == landing.Undated {
		return []any{"toy", nil, session, uuid, text, machine}
	}
	return []any{"toy", at.Add(13 * time.Hour), session, uuid, text, machine}
}

// days holds a machine's rows by table and day.
type days map[string]map[string][][]any

// land writes a machine's manifest with exactly these rows.
func (w *world) land(machine string, rows days, change ...func(*landing.Manifest)) {
	w.t.Helper()
	m := &landing.Manifest{Version: landing.Version, Machine: machine, Generation: 1, Texts: landing.Redacted, Users: "plain", Schema: "s"}
	for _, name := range slices.Sorted(mapKeys(rows)) {
		column := ""
		if name != "record_kinds" {
			column = "timestamp"
		}
		m.Tables = append(m.Tables, landing.Table{Name: name, Time: column, Columns: w.columns[name]})
		for _, day := range slices.Sorted(mapKeys(rows[name])) {
			m.Files = append(m.Files, w.write(machine, name, day, rows[name][day]))
		}
	}
	for _, c := range change {
		c(m)
	}
	text, err := m.Encode()
	w.must(err)
	w.put(machine+"/"+landing.ManifestName, text)
}

func mapKeys[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

func (w *world) put(name string, text []byte) string {
	p := filepath.Join(w.dir, landing.Root, filepath.FromSlash(name))
	w.must(os.MkdirAll(filepath.Dir(p), 0o700))
	w.must(os.WriteFile(p, text, 0o600))
	return p
}

func (w *world) write(machine, name, day string, rows [][]any) landing.File {
	w.t.Helper()
	text := w.parquet(w.columns[name], rows)
	sum := sha256.Sum256(text)
	f := landing.File{Path: landing.FileName(name, false, day, hex.EncodeToString(sum[:8])), Table: name, Day: day, Rows: int64(len(rows)), Bytes: int64(len(text)),
		Sum: hex.EncodeToString(sum[:]), Schema: "s", Texts: landing.Redacted}
	w.put(machine+"/"+f.Path, text)
	return f
}

// parquet writes a file like DuckDB's: columns have names but no ids.
func (w *world) parquet(columns []landing.Column, rows [][]any) []byte {
	types := map[string]arrow.DataType{"VARCHAR": arrow.BinaryTypes.String, "BIGINT": arrow.PrimitiveTypes.Int64, "INTEGER": arrow.PrimitiveTypes.Int32,
		"TIMESTAMPTZ": &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}, "INTEGER[]": arrow.ListOf(arrow.PrimitiveTypes.Int32),
		tables.AnswersType: arrow.ListOf(arrow.StructOf(
			arrow.Field{Name: "question", Type: arrow.BinaryTypes.String, Nullable: true},
			arrow.Field{Name: "options", Type: arrow.ListOf(arrow.BinaryTypes.String), Nullable: true},
			arrow.Field{Name: "picked", Type: arrow.ListOf(arrow.BinaryTypes.String), Nullable: true},
			arrow.Field{Name: "words", Type: arrow.BinaryTypes.String, Nullable: true}))}
	var fields []arrow.Field
	for _, c := range columns {
		fields = append(fields, arrow.Field{Name: c.Name, Type: types[c.Type], Nullable: true})
	}
	schema := arrow.NewSchema(fields, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	for _, row := range rows {
		for i, v := range row {
			switch v := v.(type) {
			case nil:
				b.Field(i).AppendNull()
			case string:
				w.must(b.Field(i).AppendValueFromString(v))
			case int64:
				b.Field(i).(*array.Int64Builder).Append(v)
			case int32:
				b.Field(i).(*array.Int32Builder).Append(v)
			case time.Time:
				b.Field(i).(*array.TimestampBuilder).Append(arrow.Timestamp(v.UnixMicro()))
			case []int32:
				l := b.Field(i).(*array.ListBuilder)
				l.Append(true)
				l.ValueBuilder().(*array.Int32Builder).AppendValues(v, nil)
			}
		}
	}
	var out bytes.Buffer
	f, err := pqarrow.NewFileWriter(schema, &out, parquet.NewWriterProperties(parquet.WithCompression(compress.Codecs.Zstd)), pqarrow.NewArrowWriterProperties())
	w.must(err)
	w.must(f.Write(b.NewRecordBatch()))
	w.must(f.Close())
	return out.Bytes()
}

// rows reads columns of a table through Iceberg, each row as a text, sorted.
func (w *world) rows(name string, columns ...string) (list []string) {
	w.t.Helper()
	ctx := context.Background()
	t, err := w.open().load(ctx, name)
	w.must(err)
	if t == nil || t.CurrentSnapshot() == nil {
		return nil
	}
	read, err := t.Scan().ToArrowTable(ctx)
	w.must(err)
	defer read.Release()
	r := array.NewTableReader(read, 0)
	for r.Next() {
		b := r.RecordBatch()
		for i := range int(b.NumRows()) {
			text := ""
			for _, c := range columns {
				at := b.Schema().FieldIndices(c)
				if len(at) == 0 {
					w.t.Fatalf("%s has no column %s", name, c)
				}
				text += b.Column(at[0]).ValueStr(i) + " "
			}
			list = append(list, text[:len(text)-1])
		}
	}
	slices.Sort(list)
	return list
}

func (w *world) want(name string, columns []string, rows ...string) {
	w.t.Helper()
	slices.Sort(rows)
	if got := w.rows(name, columns...); !slices.Equal(got, rows) {
		w.t.Errorf("%s has %q, want %q", name, got, rows)
	}
}

func (w *world) snapshots(name string) int {
	t, err := w.open().load(context.Background(), name)
	w.must(err)
	return len(t.Metadata().Snapshots())
}

var text = []string{"text"}

func one(day string, texts ...string) days {
	rows := [][]any{}
	for i, s := range texts {
		rows = append(rows, message(day, "s", fmt.Sprint("u", i), s, "m1"))
	}
	return days{"messages": {day: rows}}
}

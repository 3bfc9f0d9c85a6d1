package tables_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hindsql/tables"
)

// rowsOf returns the rows made from events, by table.
func rowsOf(t *testing.T, events ...tables.Event) map[string][]tables.Row {
	t.Helper()
	f := tables.NewFile(tables.Source{Agent: "toy", Path: "/logs/1.jsonl", Host: "here", Size: 9, ReaderVersion: 3})
	for _, e := range events {
		f.Emit(e)
	}
	b := tables.NewBatch(nil)
	t.Cleanup(b.Release)
	f.AppendTo(b)
	rows := map[string][]tables.Row{}
	for _, table := range tables.All() {
		if table.Loaded() {
			rows[table.Name] = b.Rows(table)
		}
	}
	return rows
}

// pick returns the rows' values of some columns; nil for null.
func pick(rows []tables.Row, columns ...string) [][]any {
	var picked [][]any
	for _, row := range rows {
		var values []any
		for _, c := range columns {
			values = append(values, row[c])
		}
		picked = append(picked, values)
	}
	return picked
}

func want(t *testing.T, rows []tables.Row, columns string, wanted ...[]any) {
	t.Helper()
	if diff := cmp.Diff(wanted, pick(rows, strings.Fields(columns)...)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", columns, diff)
	}
}

func at(second int) time.Time { return time.Date(2026, 1, 2, 3, 4, second, 0, time.UTC) }

func TestRowsOfEveryType(t *testing.T) {
	zone := time.FixedZone("", 3600)
	rows := rowsOf(t,
		&tables.Session{SessionID: "s", CostUSD: tables.Some(0.5), Extra: `{"a":1}`},
		&tables.Message{UUID: "a", Line: 1},
		&tables.Message{UUID: "b", Text: "bad \xff byte", Timestamp: at(5).In(zone), Line: 2, TokensReliable: tables.Some(false)},
		&tables.Compaction{Summary: "…"},
	)
	want(t, rows["sessions"], "agent session_id cost_usd extra started_at title message_count",
		[]any{"toy", "s", 0.5, `{"a":1}`, at(5), nil, nil})
	want(t, rows["messages"], "message_index text timestamp line is_active tokens_reliable",
		[]any{int64(0), nil, nil, int64(1), true, nil},
		[]any{int64(1), "bad \uFFFD byte", at(5), int64(2), true, false})
	want(t, rows["compactions"], "after_message_index replaced_message_indices", []any{int64(0), []int64{0}})
	want(t, rows["sources"], "path size reader_version messages gone_at", []any{"/logs/1.jsonl", int64(9), int64(3), int64(2), nil})
}

func TestTimesNoDatabaseTakes(t *testing.T) {
	rows := rowsOf(t, &tables.Session{SessionID: "s"},
		&tables.Message{Timestamp: time.Date(30000, 1, 1, 0, 0, 0, 0, time.UTC)},
		&tables.Message{Timestamp: time.Date(-5, 1, 1, 0, 0, 0, 0, time.UTC)})
	want(t, rows["messages"], "timestamp", []any{nil}, []any{nil})
}

// TestLargeTexts checks that a table's rows become several record batches before a
// string column exceeds Arrow's limit.
func TestLargeTexts(t *testing.T) {
	f := tables.NewFile(tables.Source{})
	f.Emit(&tables.Session{SessionID: "s"})
	text := strings.Repeat("x", 5<<20)
	for range 40 {
		f.Emit(&tables.Message{Text: text})
	}
	b := tables.NewBatch(nil)
	defer b.Release()
	f.AppendTo(b)
	messages := tables.All()[1]
	rows, batches := int64(0), b.Records(messages)
	for _, r := range batches {
		rows += r.NumRows()
	}
	if len(batches) < 2 || rows != 40 {
		t.Errorf("%d rows in %d record batches, want 40 in several", rows, len(batches))
	}
}

func TestBatchIsReusable(t *testing.T) {
	b := tables.NewBatch(nil)
	problems := tables.All()[slices.IndexFunc(tables.All(), func(t *tables.Table) bool { return t.Name == "problems" })]
	for range 2 {
		f := tables.NewFile(tables.Source{Path: "x"})
		f.Emit(&tables.Problem{What: "bad"})
		f.AppendTo(b)
		if n := len(b.Rows(problems)); n != 1 || len(b.Sources()) != 1 {
			t.Errorf("%d problems of %d sources, want 1 of 1", n, len(b.Sources()))
		}
		b.Release()
	}
}

package result_test

import (
	"errors"
	"math/big"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hindsql/internal/result"
)

// TestCollect checks that the driver's many types become the few types of a Set.
func TestCollect(t *testing.T) {
	at := time.Date(2026, 10, 1, 9, 30, 0, 0, time.UTC)
	huge := new(big.Int).Lsh(big.NewInt(1), 100)
	for _, c := range []struct {
		typ      string
		in, want any
	}{
		{"BIGINT", nil, nil}, {"BOOLEAN", true, true}, {"VARCHAR", "x", "x"}, {"TINYINT", int8(-3), int64(-3)},
		{"UBIGINT", uint64(7), int64(7)}, {"UBIGINT", uint64(1<<63 + 1), "9223372036854775809"}, {"FLOAT", float32(0.5), 0.5},
		{"HUGEINT", big.NewInt(9), int64(9)}, {"HUGEINT", huge, "1267650600228229401496703205376"}, {"DATE", at, at}, {"TIMESTAMPTZ", at, at},
		{"TIME", at, "09:30:00"}, {"INTEGER[]", []any{int32(1), nil}, "[1, NULL]"}, {"STRUCT(b INTEGER, a VARCHAR)", map[string]any{"a": "x", "b": int32(2)}, "{'b': 2, 'a': x}"},
	} {
		rows := result.Set{Columns: []result.Column{{Name: "c", Type: c.typ}}, Rows: [][]any{{c.in}}}
		set, err := result.Collect(rows.Read())
		if diff := cmp.Diff([][]any{{c.want}}, set.Rows); diff != "" || err != nil {
			t.Errorf("%s %v: %v %s", c.typ, c.in, err, diff)
		}
	}
}

// TestRows reads rows singly up to an error, with a row read twice.
func TestRows(t *testing.T) {
	broken, n := errors.New("broken"), 0
	rows := result.NewRows([]result.Column{{Name: "n", Type: "INTEGER"}}, func() ([]any, error) {
		if n++; n > 2 {
			return nil, broken
		}
		return []any{n}, nil
	})
	if !rows.Next() || rows.Values()[0] != 1 {
		t.Fatalf("first row: %v", rows.Values())
	}
	rows.Unread()
	var got []any
	var end error
	for values, err := range rows.All() {
		if end = err; err == nil {
			got = append(got, values[0])
		}
	}
	if diff := cmp.Diff([]any{1, 2}, got); diff != "" || end != broken || rows.Err() != broken || rows.Next() {
		t.Errorf("%v %s", end, diff)
	}
}

// TestWithout: rows without a column begin with a row that is read again.
func TestWithout(t *testing.T) {
	for _, again := range []bool{false, true} {
		set := result.Set{Columns: result.Columns("a INTEGER", "b INTEGER", "c INTEGER"), Rows: [][]any{{1, 2, 3}, {4, 5, 6}}}
		rows := set.Read()
		if again {
			rows.Next()
			rows.Unread()
		}
		got, err := result.Collect(rows.Without(func(c result.Column) bool { return c.Name == "b" }))
		want := result.Set{Columns: result.Columns("a INTEGER", "c INTEGER"), Rows: [][]any{{int64(1), int64(3)}, {int64(4), int64(6)}}}
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("read again %v: %v %s", again, err, diff)
		}
	}
}

// Package result holds the result of a statement: columns, and rows of Go values.
//
// [Rows] are read once, as they come; a [Set] is held in memory. A [Type] formats its
// values as text and as JSON. Engine, queries and the faces share this package, which
// runs nothing and knows no database. Values of the driver's own types are recognised
// by their shape.
package result

import (
	"iter"
	"math/big"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// Column is a column of a result.
type Column struct {
	Name string `json:"name"`
	Type string `json:"type"` // DuckDB's name of the type
}

// Columns returns columns declared as "name TYPE".
func Columns(declarations ...string) []Column {
	columns := make([]Column, len(declarations))
	for i, d := range declarations {
		columns[i].Name, columns[i].Type, _ = strings.Cut(d, " ")
	}
	return columns
}

// IsNumber reports whether the column's values are numbers.
func (c Column) IsNumber() bool { t := TypeOf(c.Type); return t.IsNumber() }

// IsTime reports whether the column's values are dates or timestamps.
func (c Column) IsTime() bool { t := TypeOf(c.Type); return t.IsTime() }

// Set is a result in memory. Values from [Collect] are nil, a bool, int64, float64,
// string or time.Time. A number that fits neither int64 nor float64 is stored as text.
type Set struct {
	Columns []Column
	Rows    [][]any
}

// Collect reads all rows into a Set.
func Collect(rows *Rows) (Set, error) {
	set := Set{Columns: rows.Columns}
	types := Types(rows.Columns)
	for values, err := range rows.All() {
		if err != nil {
			return set, err
		}
		row := make([]any, len(values))
		for i, v := range values {
			row[i] = types[i].plain(v)
		}
		set.Rows = append(set.Rows, row)
	}
	return set, nil
}

// Read returns the rows of the set.
func (s *Set) Read() *Rows {
	left := s.Rows
	return NewRows(s.Columns, func() (row []any, err error) {
		if len(left) > 0 {
			row, left = left[0], left[1:]
		}
		return row, nil
	})
}

// Pick returns the columns at some places, in the order of the places.
func (s *Set) Pick(places []int) (some Set) {
	for _, i := range places {
		some.Columns = append(some.Columns, s.Columns[i])
	}
	for _, row := range s.Rows {
		values := make([]any, len(places))
		for n, i := range places {
			values[n] = row[i]
		}
		some.Rows = append(some.Rows, values)
	}
	return some
}

// plain converts a value to a type allowed in a Set.
func (t *Type) plain(v any) any {
	switch v := v.(type) {
	case nil, bool, string, int64, float64:
		return v
	case time.Time:
		if t.IsTime() {
			return v
		}
	case *big.Int:
		if v.IsInt64() {
			return v.Int64()
		}
	}
	if r := reflect.ValueOf(v); r.CanInt() {
		return r.Int()
	}
	text := t.Text(v)
	if t.IsNumber() {
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return n
		}
		if n, err := strconv.ParseFloat(text, 64); err == nil && t.Text(n) == text {
			return n
		}
	}
	return text
}

// Rows are the rows of a statement, read once from first to last.
type Rows struct {
	Columns  []Column  // empty for a statement without a result
	SyncedAt time.Time // the rows include the logs' content up to this time, and maybe later content; zero if no log was ever loaded
	next     func() ([]any, error)
	values   []any
	again    bool // true if Next returns the same row again
	err      error
}

// NewRows returns rows from function next. next returns a row's values, valid until the
// next call, or nil at the end. next isn't called again after the end or an error.
func NewRows(columns []Column, next func() ([]any, error)) *Rows {
	return &Rows{Columns: columns, next: next}
}

// Next moves to the next row. It returns false at the end and on an error.
func (r *Rows) Next() bool {
	if r.again {
		r.again = false
		return true
	}
	if len(r.Columns) == 0 || r.next == nil {
		return false
	}
	if r.values, r.err = r.next(); r.values == nil || r.err != nil {
		r.next = nil
		return false
	}
	return true
}

// Unread makes Next return the same row again.
func (r *Rows) Unread() { r.again = true }

// Values returns the row's values, valid until Next. nil is NULL. A TIMESTAMPTZ is a
// time.Time in the session's time zone; all other types are duckdb-go's.
func (r *Rows) Values() []any { return r.values }

// Err returns the error that ended Next; nil if there was no error.
func (r *Rows) Err() error { return r.err }

// All iterates over the values of the remaining rows, each valid until the next. An
// error ends the iteration.
func (r *Rows) All() iter.Seq2[[]any, error] {
	return func(yield func([]any, error) bool) {
		for r.Next() {
			if !yield(r.values, nil) {
				return
			}
		}
		if r.err != nil {
			yield(nil, r.err)
		}
	}
}

// Without returns the rows without some columns. A row that r has to return again is
// the first of them.
func (r *Rows) Without(drop func(Column) bool) *Rows {
	var kept []int
	var columns []Column
	for i, c := range r.Columns {
		if !drop(c) {
			kept, columns = append(kept, i), append(columns, c)
		}
	}
	if len(kept) == len(r.Columns) {
		return r
	}
	values := make([]any, len(kept))
	some := NewRows(columns, func() ([]any, error) {
		if !r.Next() {
			return nil, r.Err()
		}
		for n, i := range kept {
			values[n] = r.Values()[i]
		}
		return values, nil
	})
	some.SyncedAt = r.SyncedAt
	return some
}

// Part returns at most count rows, from row offset on.
func (r *Rows) Part(offset, count int64) *Rows {
	at := int64(0)
	part := NewRows(r.Columns, func() ([]any, error) {
		for ; at < offset; at++ {
			if !r.Next() {
				return nil, r.Err()
			}
		}
		if at++; at > offset+count || !r.Next() {
			return nil, r.Err()
		}
		return r.Values(), nil
	})
	part.SyncedAt = r.SyncedAt
	return part
}

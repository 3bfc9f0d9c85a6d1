// Package result holds the result of a statement: columns, and rows of Go values.
//
// [Rows] are read once, as they come; a [Set] is held in memory. A [Type] formats its
// values as text and as JSON. Engine, queries and the faces share this package, which
// runs nothing and knows no database. Values of the driver's own types are recognised
// by their shape.
package result

import (
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

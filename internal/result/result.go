// Package result is what a statement gives: columns, and rows of Go values.
//
// [Rows] are read once, as they come; a [Set] is held in memory. A [Type] knows
// how a value of it is written, as text and as JSON. The package is what engine,
// queries and the faces have in common: it runs nothing, and knows no database.
// Values of the driver's own types are told by their shape.
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

// Columns declares columns, each as "name TYPE".
func Columns(declarations ...string) []Column {
	columns := make([]Column, len(declarations))
	for i, d := range declarations {
		columns[i].Name, columns[i].Type, _ = strings.Cut(d, " ")
	}
	return columns
}

// IsNumber says that the column's values are numbers.
func (c Column) IsNumber() bool { t := TypeOf(c.Type); return t.IsNumber() }

// IsTime says that the column's values lie on a calendar.
func (c Column) IsTime() bool { t := TypeOf(c.Type); return t.IsTime() }

// Set is a result in memory. A value that [Collect] put there is nil, a bool,
// int64, float64, string or time.Time. A number that neither int64 nor float64 holds
// as it is, is its text.
type Set struct {
	Columns []Column
	Rows    [][]any
}

// Collect reads all rows.
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

// Read gives the rows of the set.
func (s *Set) Read() *Rows {
	left := s.Rows
	return NewRows(s.Columns, func() (row []any, err error) {
		if len(left) > 0 {
			row, left = left[0], left[1:]
		}
		return row, nil
	})
}

// plain gives a value in one of the few types that a Set has.
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

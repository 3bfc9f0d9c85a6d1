package chart

import (
	"math"
	"slices"

	"hindsql/internal/result"
)

// Set returns the chart as a result with two columns, label and number.
func (d *Data) Set() *result.Set {
	kind := "BIGINT"
	if slices.ContainsFunc(d.Points, func(p Point) bool { return p.IsNumber() && !isWhole(p.Number) }) {
		kind = "DOUBLE"
	}
	set := &result.Set{Columns: []result.Column{{Name: d.Label, Type: "VARCHAR"}, {Name: d.Value, Type: kind}}}
	for _, p := range d.Points {
		row := []any{p.Label, nil}
		switch {
		case p.IsNumber() && kind == "BIGINT":
			row[1] = int64(p.Number)
		case p.IsNumber():
			row[1] = p.Number
		}
		set.Rows = append(set.Rows, row)
	}
	return set
}

func isWhole(f float64) bool { return f == math.Trunc(f) && math.Abs(f) < 1e15 }

// Whole reports whether the chart has exactly one bar for each row of the result, so
// the bars can be drawn beside the rows.
func (d *Data) Whole(rows int) bool {
	return len(d.Points) == rows && !slices.ContainsFunc(d.Points, func(p Point) bool { return p.From < 0 })
}

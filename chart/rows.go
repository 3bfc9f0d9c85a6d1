package chart

import (
	"slices"

	"hindsql/engine/result"
)

// Set is what the chart draws as a result of two columns: each label, and its
// number.
func (d *Data) Set() *result.Set {
	set := &result.Set{Columns: []result.Column{{Name: d.Label, Type: "VARCHAR"}, {Name: d.Value, Type: "DOUBLE"}}}
	for _, p := range d.Points {
		row := []any{p.Label, nil}
		if p.IsNumber() {
			row[1] = p.Number
		}
		set.Rows = append(set.Rows, row)
	}
	return set
}

// Whole says that the chart has a bar for each of its rows, so that the rows may
// stand beside them.
func (d *Data) Whole(rows int) bool {
	return len(d.Points) == rows && !slices.ContainsFunc(d.Points, func(p Point) bool { return p.From < 0 })
}

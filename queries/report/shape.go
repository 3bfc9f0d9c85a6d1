package report

import (
	"fmt"
	"slices"
	"strings"

	"hindsql/chart"
	"hindsql/engine/result"
)

// title is the column's name for people.
func title(c result.Column) string { return spaced(c.Name) }

func spaced(name string) string { return strings.ReplaceAll(name, "_", " ") }

// check says whether the result can be shown as it is to be.
func (p *Part) check() error {
	for name := range p.Better {
		if !slices.ContainsFunc(p.Columns, func(c result.Column) bool { return c.Name == name }) {
			return fmt.Errorf("better: no column %q in the result", name)
		}
	}
	switch {
	case p.Show == Number && !slices.ContainsFunc(p.Columns, result.Column.IsNumber):
		return fmt.Errorf("show = number needs a column of numbers")
	case p.Show == Number && (len(p.Rows) > 1 || len(p.Before.Rows) > 1):
		return fmt.Errorf("show = number needs one row, not %d", max(len(p.Rows), len(p.Before.Rows)))
	case p.Show == Heat && (len(p.Columns) != 3 || !p.Columns[2].IsNumber()):
		return fmt.Errorf("show = heatmap needs three columns: the row's label, the column's and a number")
	}
	return nil
}

// number reads a value as a number.
func number(v any) (n float64, ok bool) {
	switch v := v.(type) {
	case int64:
		return float64(v), true
	case float64:
		return v, v == v
	}
	return 0, false
}

// greatest is the greatest number of a column, 0 at least.
func greatest(r *result.Set, column int) (most float64) {
	for _, row := range r.Rows {
		if n, ok := number(row[column]); ok {
			most = max(most, n)
		}
	}
	return most
}

// grid is a heat map's numbers by the labels of rows and columns, both in the
// order in which the result names them.
type grid struct {
	rows, columns []string
	cells         map[[2]string]float64
	most          float64
}

func gridOf(r *result.Set) *grid {
	g := &grid{cells: map[[2]string]float64{}, most: greatest(r, 2)}
	for _, row := range r.Rows {
		at := [2]string{valueText(row[0], r.Columns[0]), valueText(row[1], r.Columns[1])}
		if !slices.Contains(g.rows, at[0]) {
			g.rows = append(g.rows, at[0])
		}
		if !slices.Contains(g.columns, at[1]) {
			g.columns = append(g.columns, at[1])
		}
		if n, ok := number(row[2]); ok {
			g.cells[at] += n
		}
	}
	return g
}

// said is a result without the columns in which nothing is: a cost that no agent
// recorded. A result without rows has them all.
func said(r *result.Set) *result.Set {
	var some []int
	for i := range r.Columns {
		if slices.ContainsFunc(r.Rows, func(row []any) bool { return row[i] != nil }) {
			some = append(some, i)
		}
	}
	if len(some) == len(r.Columns) || len(some) == 0 {
		return r
	}
	set := &result.Set{}
	for _, i := range some {
		set.Columns = append(set.Columns, r.Columns[i])
	}
	for _, row := range r.Rows {
		var values []any
		for _, i := range some {
			values = append(values, row[i])
		}
		set.Rows = append(set.Rows, values)
	}
	return set
}

// points are what a chart draws as a result of two columns: each label, and its
// number.
func points(d *chart.Data) *result.Set {
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

// whole says that a chart has a bar for each of its rows, so that the rows may
// stand beside them.
func whole(d *chart.Data, rows int) bool {
	return len(d.Points) == rows && !slices.ContainsFunc(d.Points, func(p chart.Point) bool { return p.From < 0 })
}

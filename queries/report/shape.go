package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"hindsql/internal/result"
	"hindsql/queries/html"
)

// check returns an error if the result doesn't fit the way to show it.
func (p *Part) check() error {
	for name := range p.Better {
		if !slices.ContainsFunc(p.Columns, func(c result.Column) bool { return c.Name == name }) {
			return fmt.Errorf("better: no column %q in the result", name)
		}
	}
	for part, name := range p.Cards {
		if !slices.ContainsFunc(p.Columns, func(c result.Column) bool { return strings.EqualFold(c.Name, name) }) {
			return fmt.Errorf("cards: %s: no column %q in the result", part, name)
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

// seen returns the result without the columns that the query's "-- hidden" line names.
// A hidden column stays if a card shows it. Rows of a grid become a table.
func (p *Part) seen() *result.Set {
	if p.Show == Heat {
		return html.Grid(&p.Set)
	}
	return columnsOf(&p.Set, func(i int) bool { return !p.hides(p.Columns[i].Name) })
}

// ranged reports whether the chart counts the rows in ranges.
func (p *Part) ranged() bool { return p.Chart != nil && len(p.Chart.Ranges) > 0 }

// hides reports whether a column is hidden and not part of a card.
func (p *Part) hides(name string) bool {
	is := func(other string) bool { return strings.EqualFold(other, name) }
	return slices.ContainsFunc(p.Hidden, is) && !slices.ContainsFunc(slices.Collect(maps.Values(p.Cards)), is)
}

// said returns a result without empty columns, such as a cost recorded by no agent. A
// result without rows keeps all columns.
func said(r *result.Set) *result.Set {
	return columnsOf(r, func(i int) bool {
		return slices.ContainsFunc(r.Rows, func(row []any) bool { return row[i] != nil })
	})
}

// columnsOf returns a result with the kept columns, or with all columns if none is
// kept.
func columnsOf(r *result.Set, kept func(i int) bool) *result.Set {
	var some []int
	for i := range r.Columns {
		if kept(i) {
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

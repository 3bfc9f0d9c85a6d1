package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"hindsql/engine/result"
)

// title is the column's name for people.
func title(c result.Column) string { return strings.ReplaceAll(c.Name, "_", " ") }

// axes are the columns of a chart: what is drawn, and what it stands for; -1
// where there is none.
func axes(r *result.Set, show Show) (label, value int) {
	value = slices.IndexFunc(r.Columns, result.Column.IsNumber)
	switch {
	case show == Line:
		return slices.IndexFunc(r.Columns, result.Column.IsTime), value
	case show == Heat && len(r.Columns) == 3 && r.Columns[2].IsNumber():
		return 0, 2
	case show == Heat:
		return -1, -1
	}
	label = slices.IndexFunc(r.Columns, func(c result.Column) bool { return !c.IsNumber() })
	if label < 0 && len(r.Columns) > 1 {
		return 0, 1
	}
	return label, value
}

// check says whether the result can be shown as it is to be.
func (p *Part) check() error {
	needs := map[Show]string{
		Bars: "a column to tell bars by and a number", Line: "a time and a number",
		Heat: "three columns: the row's label, the column's and a number",
	}[p.Show]
	switch label, value := axes(&p.Set, p.Show); {
	case p.Show == Number && !slices.ContainsFunc(p.Columns, result.Column.IsNumber):
		return fmt.Errorf("show = number needs a column of numbers")
	case p.Show == Number && (len(p.Rows) > 1 || len(p.Before.Rows) > 1):
		return fmt.Errorf("show = number needs one row, not %d", max(len(p.Rows), len(p.Before.Rows)))
	case needs != "" && (label < 0 || value < 0):
		return fmt.Errorf("show = %s needs %s", p.Show, needs)
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

// dot is a point of a line.
type dot struct {
	at    time.Time
	value float64
}

// lines are the dots between gaps, in the order of time.
func lines(r *result.Set) (runs [][]dot) {
	label, value := axes(r, Line)
	rows := slices.DeleteFunc(slices.Clone(r.Rows), func(row []any) bool { _, ok := row[label].(time.Time); return !ok })
	slices.SortStableFunc(rows, func(a, b []any) int { return a[label].(time.Time).Compare(b[label].(time.Time)) })
	open := false
	for _, row := range rows {
		n, ok := number(row[value])
		if ok && !open {
			runs = append(runs, nil)
		}
		if open = ok; ok {
			last := len(runs) - 1
			runs[last] = append(runs[last], dot{row[label].(time.Time), n})
		}
	}
	return runs
}

// drawn is the result with what a chart draws only: the label or time, and the
// number.
func (p *Part) drawn() *result.Set {
	label, value := axes(&p.Set, p.Show)
	set := &result.Set{Columns: []result.Column{p.Columns[label], p.Columns[value]}}
	for _, row := range p.Rows {
		set.Rows = append(set.Rows, []any{row[label], row[value]})
	}
	return set
}

package report

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// IsNumber says that the column's values are numbers.
func (c Column) IsNumber() bool {
	base, _, _ := strings.Cut(c.Type, "(")
	switch strings.TrimPrefix(base, "U") {
	case "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "FLOAT", "DOUBLE", "DECIMAL":
		return true
	}
	return false
}

// IsTime says that the column's values lie on a calendar.
func (c Column) IsTime() bool { return c.Type == "DATE" || strings.HasPrefix(c.Type, "TIMESTAMP") }

// title is the column's name for people.
func (c Column) title() string { return strings.ReplaceAll(c.Name, "_", " ") }

// axes are the columns of a chart: what is drawn, and what it stands for; -1
// where there is none.
func (r *Result) axes(show Show) (label, value int) {
	value = slices.IndexFunc(r.Columns, Column.IsNumber)
	switch {
	case show == Line:
		return slices.IndexFunc(r.Columns, Column.IsTime), value
	case show == Heat && len(r.Columns) == 3 && r.Columns[2].IsNumber():
		return 0, 2
	case show == Heat:
		return -1, -1
	}
	label = slices.IndexFunc(r.Columns, func(c Column) bool { return !c.IsNumber() })
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
	switch label, value := p.axes(p.Show); {
	case p.Show == Number && !slices.ContainsFunc(p.Columns, Column.IsNumber):
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

// most is the greatest number of a column, 0 at least.
func (r *Result) most(column int) (most float64) {
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

func (r *Result) grid() *grid {
	g := &grid{cells: map[[2]string]float64{}, most: r.most(2)}
	for _, row := range r.Rows {
		at := [2]string{Text(row[0], r.Columns[0]), Text(row[1], r.Columns[1])}
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
func (r *Result) lines() (runs [][]dot) {
	label, value := r.axes(Line)
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

// Axes is the result with what a chart draws only: the label or time, and the
// number.
func (p *Part) Axes() Result {
	label, value := p.axes(p.Show)
	r := Result{Columns: []Column{p.Columns[label], p.Columns[value]}}
	for _, row := range p.Rows {
		r.Rows = append(r.Rows, []any{row[label], row[value]})
	}
	return r
}

// Grid is the result of a heat map as a table: a row for each of its rows.
// Columns and cells in which nothing is are left out.
func (p *Part) Grid() Result { return *p.grid().table(p.Columns) }

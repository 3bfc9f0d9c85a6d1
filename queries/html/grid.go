package html

import (
	"math"
	"slices"

	"hindsql/internal/result"
)

// greatest returns the greatest number of a column, 0 at least.
func greatest(r *result.Set, column int) (most float64) {
	for _, row := range r.Rows {
		if n, ok := number(row[column]); ok {
			most = max(most, n)
		}
	}
	return most
}

// Grid holds a heat map's numbers by the labels of rows and columns, both in the
// result's order.
type Grid struct {
	rows, columns []string
	cells         map[[2]string]float64
	most          float64
}

// GridOf reads a result of two labels and a number.
func GridOf(r *result.Set) *Grid {
	g := &Grid{cells: map[[2]string]float64{}, most: greatest(r, 2)}
	for _, row := range r.Rows {
		at := [2]string{Value(row[0], r.Columns[0]), Value(row[1], r.Columns[1])}
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

// Table returns the grid as a table, without empty columns.
func (g *Grid) Table(columns []result.Column) *result.Set {
	r := &result.Set{Columns: []result.Column{columns[0]}}
	var used []string
	for _, c := range g.columns {
		for _, row := range g.rows {
			if g.cells[[2]string{row, c}] != 0 {
				used = append(used, c)
				r.Columns = append(r.Columns, result.Column{Name: c, Type: columns[2].Type})
				break
			}
		}
	}
	for _, row := range g.rows {
		cells := []any{row}
		for _, c := range used {
			cells = append(cells, g.value(row, c))
		}
		r.Rows = append(r.Rows, cells)
	}
	return r
}

// value returns a cell's number, as an integer if possible; nil for 0.
func (g *Grid) value(row, column string) any {
	n := g.cells[[2]string{row, column}]
	switch {
	case n == 0:
		return nil
	case n == math.Trunc(n) && math.Abs(n) < 1e15:
		return int64(n)
	}
	return n
}

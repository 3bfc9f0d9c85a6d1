package html

import (
	"math"
	"slices"

	"hindsql/internal/result"
)

// Grid returns rows of two labels and a number as a table with a row for each first
// label and a column for each second label, both in the result's order. A 0 is empty.
func Grid(r *result.Set) *result.Set {
	grid := &result.Set{Columns: []result.Column{r.Columns[0]}}
	cells, labels := map[[2]string]float64{}, []string(nil)
	for _, row := range r.Rows {
		at := [2]string{Value(row[0], r.Columns[0]), Value(row[1], r.Columns[1])}
		if !slices.Contains(labels, at[0]) {
			labels = append(labels, at[0])
		}
		if c := (result.Column{Name: at[1], Type: r.Columns[2].Type}); !slices.Contains(grid.Columns[1:], c) {
			grid.Columns = append(grid.Columns, c)
		}
		n, _ := number(row[2])
		cells[at] += n
	}
	for _, label := range labels {
		row := []any{label}
		for _, c := range grid.Columns[1:] {
			row = append(row, gridValue(cells[[2]string{label, c.Name}]))
		}
		grid.Rows = append(grid.Rows, row)
	}
	return grid
}

// gridValue returns a cell's number, as an integer if possible; nil for 0.
func gridValue(n float64) any {
	switch {
	case n == 0:
		return nil
	case n == math.Trunc(n) && math.Abs(n) < 1e15:
		return int64(n)
	}
	return n
}

package term

import (
	"slices"

	"hindsql/queries"
)

// leaveOutCosts hides the columns of costs in which a saved query's table has no value,
// before the first piece is written.
func leaveOutCosts(t *table) {
	if t.Answer == nil || t.begun || len(t.rows) == 0 {
		return
	}
	names, filled := make([]string, len(t.cols)), make([]int, len(t.cols))
	for i, c := range t.cols {
		names[i], filled[i] = c.Name, t.extents[i].filled
	}
	var hidden []string
	hidden, t.costs = queries.Costs(names, filled, len(t.rows), t.Answer.Prices)
	for i := len(t.cols) - 1; i >= 0; i-- {
		if slices.Contains(hidden, t.cols[i].Name) {
			dropColumn(t, i)
		}
	}
}

func dropColumn(t *table, i int) {
	t.cols, t.types = slices.Delete(slices.Clone(t.cols), i, i+1), slices.Delete(slices.Clone(t.types), i, i+1)
	t.names, t.extents = slices.Delete(t.names, i, i+1), slices.Delete(t.extents, i, i+1)
	nulls := map[[2]int]bool{}
	for at := range t.nulls {
		if at[1] > i {
			at[1]--
		} else if at[1] == i {
			continue
		}
		nulls[at] = true
	}
	t.nulls = nulls
	for k, tail := range t.tails {
		if tail > i {
			t.tails[k]--
		}
	}
	for n := range t.rows {
		t.rows[n] = slices.Delete(t.rows[n], i, i+1)
	}
	for n := range t.few {
		t.few[n] = slices.Delete(t.few[n], i, i+1)
	}
}

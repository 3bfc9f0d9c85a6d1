package queries_test

import (
	"slices"
	"testing"

	"hindsql/queries"
)

// TestCosts: costs without a value are hidden with their counts, and a line says why.
// Estimates name their prices.
func TestCosts(t *testing.T) {
	names := []string{"project", "usd", "priced", "estimated_usd", "unpriced"}
	for _, c := range []struct {
		filled []int
		rows   int
		hidden []string
		note   string
	}{
		{[]int{2, 1, 2, 1, 2}, 2, nil, "estimated_usd is estimated by prices of 2026-11, whenever the usage was"},
		{[]int{2, 0, 2, 1, 2}, 2, []string{"usd", "priced"}, "no usd: the agents recorded no cost; estimated_usd is estimated by prices of 2026-11, whenever the usage was"},
		{[]int{2, 0, 2, 0, 2}, 2, []string{"usd", "priced", "estimated_usd", "unpriced"},
			"no usd: the agents recorded no cost; no estimated_usd: no model here has a price, see hindsql prices"},
		{[]int{0, 0, 0, 0, 0}, 0, nil, ""},
	} {
		if hidden, note := queries.Costs(names, c.filled, c.rows, "prices of 2026-11"); !slices.Equal(hidden, c.hidden) || note != c.note {
			t.Errorf("%v: %q, %q; want %q, %q", c.filled, hidden, note, c.hidden, c.note)
		}
	}
	if hidden, note := queries.Costs([]string{"tokens"}, []int{0}, 1, "prices of 2026-11"); hidden != nil || note != "" {
		t.Errorf("without costs: %q, %q", hidden, note)
	}
}

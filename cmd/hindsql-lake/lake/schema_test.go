package lake

import (
	"testing"

	"hindsql/tables"
)

// TestTypes: each type of a landed column has a type in the lake, which gives the same
// type again. A list's elements and a struct's fields have ids of their own.
func TestTypes(t *testing.T) {
	for _, table := range tables.Pushed() {
		for _, c := range table.Columns {
			ids := map[int]bool{}
			last := 0
			own, err := typeOf(c.Type, func() int { last++; ids[last] = true; return last })
			if err != nil {
				t.Errorf("%s.%s: %v", table.Name, c.Name, err)
				continue
			}
			want := c.Type
			if want == "JSON" {
				want = "VARCHAR"
			}
			if got := duckOf(own); got != want {
				t.Errorf("%s.%s: %s comes back as %q", table.Name, c.Name, c.Type, got)
			}
			if c.Type == tables.AnswersType && len(ids) != 7 {
				t.Errorf("answers take %d ids, want 7: an element, four fields, two inner elements", len(ids))
			}
		}
	}
}

package term

import (
	"slices"

	"hindsql/internal/result"
)

// Queries lists saved queries, the rows of table queries. For people it leaves out the
// subjects, by which the rows are in order: one more column is too wide for a terminal.
func Queries(to *Output, set result.Set) error {
	if to.ForPeople() {
		for i, row := range set.Rows {
			set.Rows[i] = slices.Delete(row, 2, 3)
		}
	}
	return to.List(set)
}

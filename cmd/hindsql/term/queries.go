package term

import (
	"hindsql/cmd/hindsql/ask"
	"hindsql/internal/result"
	"hindsql/queries"
)

// Queries lists saved queries.
func Queries(to *Output, home string, all []*queries.Query) error {
	list := result.Set{Columns: result.Columns("name VARCHAR", "title VARCHAR", "origin VARCHAR")}
	for _, q := range all {
		list.Rows = append(list.Rows, []any{q.Name, q.Title, ask.Origin(home, q.Path, q.Overrides)})
	}
	return to.List(list)
}

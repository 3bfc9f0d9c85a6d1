package show

import (
	"hindsql/cmd/hindsql/render"
	"hindsql/engine/result"
	"hindsql/queries"
	"hindsql/readers/files"
)

// Queries lists saved queries.
func Queries(to *render.Output, home string, all []*queries.Query) error {
	list := result.Set{Columns: result.Columns("name VARCHAR", "title VARCHAR", "origin VARCHAR")}
	for _, q := range all {
		list.Rows = append(list.Rows, []any{q.Name, q.Title, Origin(home, q.Path, q.Overrides)})
	}
	return to.List(list)
}

// Origin tells where a query or a report comes from, by the path of its file;
// one without a path is built in.
func Origin(home, path string, overrides bool) string {
	switch {
	case overrides:
		return files.Short(home, path) + ", in place of the built-in"
	case path != "":
		return files.Short(home, path)
	}
	return "built in"
}

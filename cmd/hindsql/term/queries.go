package term

import (
	"fmt"
	"strings"

	"hindsql/cmd/hindsql/ask"
	"hindsql/internal/result"
	"hindsql/queries"
)

// Queries lists saved queries, for people in groups by subject.
func Queries(to *Output, home string, all []*queries.Query) error {
	if to.ForPeople() {
		return groups(to, home, all)
	}
	list := result.Set{Columns: result.Columns("name VARCHAR", "title VARCHAR", "origin VARCHAR", "subject VARCHAR")}
	for _, q := range all {
		list.Rows = append(list.Rows, []any{q.Name, q.Title, ask.Origin(home, q.Path, q.Overrides), q.Subject()})
	}
	return to.Set(list)
}

// groups writes each group below its title. Names and titles are as wide in all groups.
// Only queries of the user's have their origin.
func groups(to *Output, home string, all []*queries.Query) error {
	w, flush := through(to.Writer, painted)
	names, titles := 0, 0
	for _, q := range all {
		names, titles = max(names, width(q.Name)), max(titles, width(q.Title))
	}
	padded := func(s string, columns int) string { return s + strings.Repeat(" ", columns-width(s)) }
	for i, g := range queries.Groups(all) {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintln(w, to.paint(bold, g.Title))
		var rows [][]string
		for _, q := range g.Queries {
			row := []string{"  " + padded(q.Name, names), q.Title}
			if q.Path != "" {
				row = []string{row[0], padded(q.Title, titles), ask.Origin(home, q.Path, q.Overrides)}
			}
			rows = append(rows, row)
		}
		if err := Listing(w, to.Width, rows); err != nil {
			return err
		}
	}
	return flush()
}

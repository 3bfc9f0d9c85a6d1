package ask

import (
	"fmt"
	"hindsql/internal/words"
	"slices"

	"hindsql/internal/atomicfile"
	"hindsql/internal/result"
	"hindsql/internal/suggest"
	"hindsql/queries"
)

// Queries lists the saved queries. If files of the user aren't valid queries, it
// returns an error about the files, and also the valid queries.
func (s *Source) Queries() ([]*queries.Query, error) {
	if s.queries == nil {
		return nil, nil
	}
	return s.queries()
}

// Saved finds a saved query by its name, ignoring case. The error is that of [Named].
func (s *Source) Saved(name string) (*queries.Query, error) {
	list, err := s.Queries()
	return Named(list, err, name)
}

// Named finds a query in a list by its name, ignoring case. broken is the error about
// the user's files: if a file of that name isn't a query, the error is the file's. If
// there is no such file, the error is a [*NoQuery].
func Named(list []*queries.Query, broken error, name string) (*queries.Query, error) {
	if err := queries.BrokenFile(broken, name); err != nil {
		return nil, err
	}
	if q := queries.Named(list, name); q != nil {
		return q, nil
	}
	names := make([]string, len(list))
	for i, q := range list {
		names[i] = q.Name
	}
	slices.Sort(names)
	return nil, &NoQuery{Name: name, Known: names}
}

// NoQuery is the error of an unknown query name.
type NoQuery struct {
	Name  string
	Known []string // the existing names
}

// Error suggests similar names.
func (n *NoQuery) Error() string { return n.text("") }

// text returns the error's text. lists is the command that lists the queries; empty if
// the face has none.
func (n *NoQuery) text(lists string) string {
	text := fmt.Sprintf("no query %q", n.Name)
	switch alike := suggest.To(n.Name, n.Known); {
	case lists != "":
		text += suggest.Ask(n.Name, n.Known, lists+" lists them")
	case len(alike) > 0:
		text += "; did you mean " + words.List(alike, "or") + "?"
	}
	return text
}

// List returns saved queries as table queries, by subject.
func List(home string, all []*queries.Query) result.Set {
	set := result.Set{Columns: result.Columns("name VARCHAR", "title VARCHAR", "subject VARCHAR", "origin VARCHAR")}
	for _, group := range queries.Groups(all) {
		for _, q := range group.Queries {
			var origin any
			if q.Path != "" {
				origin = Origin(home, q.Path, q.Overrides)
			}
			set.Rows = append(set.Rows, []any{q.Name, q.Title, group.Title, origin})
		}
	}
	return set
}

// Origin returns the origin of a query or a report in words: the path of its file, or
// "built in" without a path. overrides says that the file replaces a built-in query.
func Origin(home, path string, overrides bool) string {
	switch {
	case overrides:
		return atomicfile.Short(home, path) + ", in place of the built-in"
	case path != "":
		return atomicfile.Short(home, path)
	}
	return "built in"
}

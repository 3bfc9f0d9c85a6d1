package ask

import (
	"fmt"
	"hindsql/internal/words"
	"slices"

	"hindsql/internal/atomicfile"
	"hindsql/internal/suggest"
	"hindsql/queries"
)

// Queries lists the saved queries. The error is that of the user's files that are
// none; the list has the others.
func (s *Source) Queries() ([]*queries.Query, error) {
	if s.queries == nil {
		return nil, nil
	}
	return s.queries()
}

// Saved finds a saved query by its name, in any case. The error is a [*NoQuery].
func (s *Source) Saved(name string) (*queries.Query, error) {
	list, err := s.Queries()
	return Named(list, err, name)
}

// Named finds a query of a list by its name, in any case. The error is a [*NoQuery],
// which has the list's own.
func Named(list []*queries.Query, broken error, name string) (*queries.Query, error) {
	if q := queries.Named(list, name); q != nil {
		return q, nil
	}
	names := make([]string, len(list))
	for i, q := range list {
		names[i] = q.Name
	}
	slices.Sort(names)
	return nil, &NoQuery{Name: name, Known: names, Err: broken}
}

// NoQuery is the error of a name that no saved query has.
type NoQuery struct {
	Name  string
	Known []string // the names that there are
	Err   error    // of the user's files that are no queries; nil where all are
}

// Error says what may be meant.
func (n *NoQuery) Error() string { return n.text("") }

// Unwrap is the error of the user's files.
func (n *NoQuery) Unwrap() error { return n.Err }

// text adds the words that list the queries.
func (n *NoQuery) text(lists string) string {
	text := fmt.Sprintf("no query %q", n.Name)
	switch alike := suggest.To(n.Name, n.Known); {
	case lists != "":
		text += suggest.Ask(n.Name, n.Known, lists+" lists them")
	case len(alike) > 0:
		text += "; did you mean " + words.List(alike, "or") + "?"
	}
	if n.Err != nil {
		text += "\n" + n.Err.Error()
	}
	return text
}

// Origin tells where a query or a report comes from, by the path of its file;
// one without a path is built in.
func Origin(home, path string, overrides bool) string {
	switch {
	case overrides:
		return atomicfile.Short(home, path) + ", in place of the built-in"
	case path != "":
		return atomicfile.Short(home, path)
	}
	return "built in"
}

package tables

import "strings"

// Schema is where a store keeps its tables, copies and internal ones included.
// What people query are views over them in two other schemas, main and
// [WithCopies]. DuckDB resolves a view's names in the view's own file first, so
// the views work under whatever name the file is attached, as long as no table
// of the caller's can be taken for theirs: hence a schema that nobody else has.
const Schema = "hindsql_internal"

// WithCopies is the schema of the views that hold copies, too.
const WithCopies = "with_copies"

const isCopy = "is_copy"

// Views lists the tables as users see them, the queries that make them
// included: those that count a message once, and then, under names such as
// with_copies.messages, those that hold every row.
func Views() []*Table {
	var list, whole []*Table
	for _, t := range All() {
		switch {
		case t.Internal:
		case t.HasCopies():
			list, whole = append(list, t.withoutCopies()), append(whole, t.withCopies())
		default:
			v := *t
			if v.View == "" {
				v.View = "FROM {schema}." + t.Name
			}
			list = append(list, &v)
		}
	}
	return append(list, whole...)
}

// Shown lists everything that users see: the views of the store, and the table
// beside it.
func Shown() []*Table {
	list := Views()
	for i, t := range list {
		if strings.HasPrefix(t.Name, WithCopies) {
			return append(append(list[:i:i], reportRuns), list[i:]...)
		}
	}
	return append(list, reportRuns)
}

// HasCopies says whether the table holds rows that also stand in an older
// session, and column is_copy to tell them.
func (t *Table) HasCopies() bool {
	for _, c := range t.Columns {
		if c.Name == isCopy {
			return true
		}
	}
	return false
}

func (t *Table) withoutCopies() *Table {
	v := *t
	v.Columns = nil
	var names []string
	for _, c := range t.Columns {
		if c.Name != isCopy {
			v.Columns, names = append(v.Columns, c), append(names, c.Name)
		}
	}
	v.View = "SELECT " + strings.Join(names, ", ") + " FROM {schema}." + t.Name + " WHERE NOT " + isCopy
	return &v
}

func (t *Table) withCopies() *Table {
	v := *t
	v.Name = WithCopies + "." + t.Name
	v.Doc = "All rows of " + t.Name + ", those included that resumed and forked sessions copied from older ones, or that another machine has too: is_copy tells which."
	v.View = "FROM {schema}." + t.Name
	return &v
}

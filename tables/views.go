package tables

import (
	"slices"
	"strings"
)

// Schema is where a store keeps its tables, copies and internal ones included.
// What people query are views over them in two other schemas, main and
// [WithCopies]. DuckDB resolves a view's names in the view's own file first, so
// the views work under whatever name the file is attached, as long as no table
// of the caller's can be taken for theirs: hence a schema that nobody else has.
const Schema = "hindsql_internal"

// WithCopies is the schema of the views that hold each row: copies, and what is
// only inferred, too.
const WithCopies = "with_copies"

const isCopy = "is_copy"

// Views lists the tables as users see them, the queries that make them
// included: those that count a message once and hold no guess, and then, under names
// such as with_copies.messages, those that hold every row.
func Views() []*Table {
	var list, whole []*Table
	for _, t := range All() {
		switch {
		case t.Internal:
		case t.Apart() != "":
			list, whole = append(list, t.counted()), append(whole, t.whole())
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

// ShownNames are the names of [Shown].
func ShownNames() (names []string) {
	for _, t := range Shown() {
		names = append(names, t.Name)
	}
	return names
}

// HasCopies says whether the table holds rows that also stand in an older
// session, and column is_copy to tell them.
func (t *Table) HasCopies() bool { return t.has(isCopy) }

// counted is the view of the rows that count.
func (t *Table) counted() *Table {
	v := *t
	v.Columns = slices.DeleteFunc(slices.Clone(t.Columns), isMark)
	v.View = "SELECT " + names(v.Columns) + " FROM {schema}." + t.Name + " AS t WHERE NOT " + strings.ReplaceAll(t.Apart(), " OR ", " AND NOT ")
	return &v
}

// whole is the view of all rows. What is never a copy says so.
func (t *Table) whole() *Table {
	v := *t
	v.Name = WithCopies + "." + t.Name
	v.Doc = "All rows of " + t.Name
	v.View = "FROM {schema}." + t.Name
	if t.HasCopies() {
		v.Doc += ", those included that resumed and forked sessions copied from older ones, or that another machine has too: is_copy tells which"
	}
	if t.HasGuesses() {
		v.Doc += ", those included that are only inferred: is_inferred tells which"
	}
	v.Doc += "."
	if !t.HasCopies() {
		at := slices.IndexFunc(t.Columns, isMark)
		v.View = "SELECT " + names(t.Columns[:at]) + ", false AS " + isCopy + ", " + names(t.Columns[at:]) + " FROM {schema}." + t.Name
		v.Columns = slices.Insert(slices.Clone(t.Columns), at, Column{isCopy, "BOOLEAN", "false: copies of its traces are one " + strings.TrimSuffix(t.Name, "s")})
	}
	return &v
}

func names(columns []Column) string {
	list := make([]string, len(columns))
	for i, c := range columns {
		list[i] = c.Name
	}
	return strings.Join(list, ", ")
}

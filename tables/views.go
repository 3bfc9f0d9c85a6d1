package tables

import (
	"fmt"
	"slices"
	"strings"
)

// Schema is the schema of the tables in a store, with copies and internal tables. Users
// query views over these tables, in schemas main and [WithCopies]. DuckDB resolves a
// view's names in the view's own file first, so the views work under any name of the
// attached file, unless a user's table has the same name. The schema's unusual name
// prevents such a clash.
const Schema = "hindsql_internal"

// WithCopies is the schema of the views with every row, including copies and inferred
// rows.
const WithCopies = "with_copies"

const isCopy = "is_copy"

// Views returns the tables as users see them, with their queries. First come the views
// that show each message once and leave out uncertain rows. Then come the views with
// every row, under names such as with_copies.messages.
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

// Shown returns all tables for users: the store's views, with the lists before the views
// with copies.
func Shown() []*Table {
	list := Views()
	at := slices.IndexFunc(list, func(t *Table) bool { return strings.HasPrefix(t.Name, WithCopies) })
	return slices.Insert(list, at, lists...)
}

// ShownNames returns the names of [Shown].
func ShownNames() (names []string) {
	for _, t := range Shown() {
		names = append(names, t.Name)
	}
	return names
}

// HasCopies reports whether the table has column is_copy, because rows may also stand
// in an older session.
func (t *Table) HasCopies() bool { return t.Has(isCopy) }

// counted returns the view of the rows that count.
func (t *Table) counted() *Table {
	v := *t
	v.Columns = slices.DeleteFunc(slices.Clone(t.Columns), isMark)
	v.View = "SELECT " + names(v.Columns) + " FROM {schema}." + t.Name + " AS t WHERE NOT " + strings.ReplaceAll(t.Apart(), " OR ", " AND NOT ")
	return &v
}

// whole returns the view of all rows. In a table without copies, is_copy is always
// false.
func (t *Table) whole() *Table {
	v := *t
	v.Name = WithCopies + "." + t.Name
	v.View = "FROM {schema}." + t.Name
	var extra []string
	if t.HasCopies() {
		extra = append(extra, "rows copied by resumed and forked sessions or present on another machine (is_copy)")
	}
	if t.HasGuesses() {
		extra = append(extra, "rows that are only inferred (is_inferred)")
	}
	v.Doc = fmt.Sprintf("All rows of %s, including %s.", t.Name, strings.Join(extra, ", and "))
	if !t.HasCopies() {
		at := slices.IndexFunc(t.Columns, isMark)
		v.View = "SELECT " + names(t.Columns[:at]) + ", false AS " + isCopy + ", " + names(t.Columns[at:]) + " FROM {schema}." + t.Name
		v.Columns = slices.Insert(slices.Clone(t.Columns), at, Column{isCopy, "BOOLEAN", "false, because copies of a trace count as one " + strings.TrimSuffix(t.Name, "s")})
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

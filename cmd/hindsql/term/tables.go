package term

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"hindsql/engine"
	"hindsql/internal/result"
	"hindsql/tables"
)

// Tables lists the tables and functions whose names match.
func (v *View) Tables(ctx context.Context, to *Output, matches func(name string) bool) error {
	set, err := v.Collect(ctx, "FROM "+engine.Ours(tables.ListOfTables), nil)
	if err != nil {
		return err
	}
	set.Rows = slices.DeleteFunc(set.Rows, func(row []any) bool { return !matches(row[0].(string)) })
	return to.List(set)
}

// IsDescribed reports whether [Describe] knows a table or function of that name.
func IsDescribed(name string) bool {
	return slices.Contains(tables.ShownNames(), name) || slices.Contains(tables.MacroNames(), name)
}

// Describe writes the meaning of a table's columns, or the purpose of a function.
func Describe(to *Output, name string) error {
	for _, t := range tables.Shown() {
		if t.Name == name {
			return describeTable(to, t)
		}
	}
	for _, m := range tables.Macros() {
		if m.Name == name {
			return describeFunction(to, m)
		}
	}
	return fmt.Errorf("%q: neither a table nor a function", name)
}

func describeTable(to *Output, t *tables.Table) error {
	if to.ForPeople() {
		fmt.Fprintf(to, "%s\n\n", Wrap(t.Name+": "+t.Doc, to.Width, 0))
	}
	list := result.Set{Columns: result.Columns("column VARCHAR", "type VARCHAR", "what VARCHAR")}
	for _, c := range t.Columns {
		list.Rows = append(list.Rows, []any{c.Name, c.Type, c.Doc})
	}
	return to.List(list)
}

func describeFunction(to *Output, m tables.Macro) error {
	if !to.ForPeople() {
		return to.Set(result.Set{
			Columns: result.Columns("call VARCHAR", "what VARCHAR", "example VARCHAR"),
			Rows:    [][]any{{m.Call, m.Title + ". " + m.Doc, m.Example}},
		})
	}
	_, err := fmt.Fprintf(to, "%s: %s\n\n%s\n\n  %s\n", m.Call, m.Title, Wrap(m.Doc, to.Width, 0), strings.ReplaceAll(m.Example, "\n", "\n  "))
	return err
}

package term

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"hindsql/cmd/hindsql/ask"
	"hindsql/internal/result"
	"hindsql/tables"
)

// Tables lists the tables whose names match, with the numbers of their rows. For people
// it also lists the functions. If matches is nil, all names match.
func (v *View) Tables(ctx context.Context, to *Output, matches func(name string) bool) error {
	if matches == nil {
		matches = func(string) bool { return true }
	}
	counts, err := countRows(ctx, v.Session)
	if err != nil {
		return err
	}
	list := result.Set{Columns: result.Columns("name VARCHAR", "rows BIGINT", "what VARCHAR")}
	for _, t := range tables.Shown() {
		if matches(t.Name) {
			list.Rows = append(list.Rows, []any{t.Name, counts[t.Name], t.Doc})
		}
	}
	if err := to.List(list); err != nil || !to.ForPeople() {
		return err
	}
	var functions result.Set
	for _, m := range tables.Macros() {
		if matches(m.Name) {
			functions.Rows = append(functions.Rows, []any{m.Call, m.Title})
		}
	}
	if len(functions.Rows) == 0 {
		return nil
	}
	if len(list.Rows) > 0 {
		fmt.Fprintln(to)
	}
	return to.List(functions)
}

func countRows(ctx context.Context, in *ask.Session) (map[string]int64, error) {
	var parts []string
	for _, name := range tables.ShownNames() {
		parts = append(parts, fmt.Sprintf("SELECT '%s', count(*) FROM %s", name, name))
	}
	set, err := in.Collect(ctx, strings.Join(parts, " UNION ALL "), nil)
	counts := map[string]int64{}
	for _, row := range set.Rows {
		name, _ := row[0].(string)
		counts[name], _ = row[1].(int64)
	}
	return counts, err
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

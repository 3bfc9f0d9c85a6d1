package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hindsql/cmd/hindsql/render"
	"hindsql/engine"
	"hindsql/engine/result"
	"hindsql/tables"
)

func (a *app) tablesCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "tables [NAME]",
		Short:   "List the tables and functions, or describe one",
		Example: "  hindsql tables\n  hindsql tables rejections\n  hindsql tables session",
		Args:    between(0, 1, "hindsql tables [NAME]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				return a.showTable(args[0])
			}
			return a.withSession(cmd.Context(), a.listTables)
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return append(tableNames(), functionNames()...), cobra.ShellCompDirectiveNoFileComp
		},
	}
}

// storedTables are the names of those tables that an export has.
func storedTables() []string {
	return slices.DeleteFunc(tableNames(), func(name string) bool { return name == tables.ReportRuns().Name })
}

func tableNames() []string {
	var names []string
	for _, t := range tables.Shown() {
		names = append(names, t.Name)
	}
	return names
}

func (a *app) listTables(ctx context.Context, s *engine.Session) error {
	counts, err := countRows(ctx, s)
	if err != nil {
		return err
	}
	var rows [][]any
	for _, t := range tables.Shown() {
		rows = append(rows, []any{t.Name, counts[t.Name], t.Doc})
	}
	if err := a.list(result.Columns("name VARCHAR", "rows BIGINT", "what VARCHAR"), rows); err != nil || !a.out.isTable() {
		return err
	}
	rows = nil
	for _, m := range tables.Macros() {
		rows = append(rows, []any{m.Call, m.Title})
	}
	fmt.Fprintln(a.stdout)
	return a.list(nil, rows)
}

func functionNames() []string {
	var names []string
	for _, m := range tables.Macros() {
		names = append(names, m.Name)
	}
	return names
}

func countRows(ctx context.Context, s *engine.Session) (map[string]int64, error) {
	var parts []string
	for _, name := range tableNames() {
		parts = append(parts, fmt.Sprintf("SELECT '%s', count(*) FROM %s", name, name))
	}
	counts := map[string]int64{}
	err := s.Query(ctx, strings.Join(parts, " UNION ALL "), nil, func(rows *engine.Rows) error {
		for rows.Next() {
			name, _ := rows.Values()[0].(string)
			counts[name], _ = rows.Values()[1].(int64)
		}
		return rows.Err()
	})
	return counts, err
}

// showFunction describes a function, with an example.
func (a *app) showFunction(m tables.Macro) error {
	if !a.out.isTable() {
		return a.list(result.Columns("call VARCHAR", "what VARCHAR", "example VARCHAR"), [][]any{{m.Call, m.Title + ". " + m.Doc, m.Example}})
	}
	_, err := fmt.Fprintf(a.stdout, "%s: %s\n\n%s\n\n  %s\n", m.Call, m.Title, render.Wrap(m.Doc, a.width, 0), strings.ReplaceAll(m.Example, "\n", "\n  "))
	return err
}

func (a *app) showTable(name string) error {
	all := tables.Shown()
	i := slices.IndexFunc(all, func(t *tables.Table) bool { return t.Name == name })
	if f := slices.Index(functionNames(), name); i < 0 && f >= 0 {
		return a.showFunction(tables.Macros()[f])
	}
	if i < 0 {
		return usagef("no table %q; there are %s", name, strings.Join(tableNames(), ", "))
	}
	if a.out.isTable() {
		fmt.Fprintf(a.stdout, "%s\n\n", render.Wrap(name+": "+all[i].Doc, a.width, 0))
	}
	var rows [][]any
	for _, c := range all[i].Columns {
		rows = append(rows, []any{c.Name, c.Type, c.Doc})
	}
	return a.list(result.Columns("column VARCHAR", "type VARCHAR", "what VARCHAR"), rows)
}

// list writes rows for people as a listing, in which prose is not cut but
// broken into lines, and in any other format as a result.
func (a *app) list(columns []result.Column, rows [][]any) error {
	if !a.out.isTable() {
		return a.writeSet(result.Set{Columns: columns, Rows: rows})
	}
	return render.Listing(a.stdout, a.width, texts(rows))
}

func texts(rows [][]any) [][]string {
	all := make([][]string, len(rows))
	for i, row := range rows {
		for _, v := range row {
			if n, ok := v.(int64); ok {
				v = render.Thousands(n)
			}
			all[i] = append(all[i], fmt.Sprint(v))
		}
	}
	return all
}

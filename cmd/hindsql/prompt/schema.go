package prompt

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"hindsql/cmd/hindsql/ask"
	"hindsql/cmd/hindsql/term"
	"hindsql/internal/sqltext"
	"hindsql/tables"
)

func schemaCommands() []command {
	return []command{
		{name: ".tables", args: "[PATTERN]", help: "list the tables and functions, or those whose names match, such as *call*", run: byRunner(listTables), complete: fixed(tableNames)},
		{name: ".describe", args: "[NAME]", help: "show the columns of a table and what they mean, or what a function does", aliases: []string{`\d`}, run: byRunner(describe), complete: fixed(describable)},
	}
}

func listTables(ctx context.Context, r *runner, pattern string) error {
	pattern = plain(pattern)
	matches := func(name string) bool { return pattern == "" || matchesName(pattern, name) }
	return r.show(ctx, func(ctx context.Context, to *term.Output) error {
		if err := r.View.Tables(ctx, to, matches); err != nil || !to.ForPeople() {
			return err
		}
		own, err := ownTables(ctx, r.View.Session)
		for _, t := range own {
			if matches(t.name) {
				fmt.Fprintf(to, "%s (yours)\n", t.name)
			}
		}
		return err
	})
}

// matchesName reports whether a name matches a pattern with * and ?.
func matchesName(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return err == nil && ok
}

func describe(ctx context.Context, r *runner, name string) error {
	name = plain(name)
	if name == "" {
		return listTables(ctx, r, "")
	}
	return r.show(ctx, func(ctx context.Context, to *term.Output) error {
		own, err := ownTables(ctx, r.View.Session)
		switch {
		case err != nil:
			return err
		case slices.ContainsFunc(own, func(t ownTable) bool { return t.name == name }): // the user's table hides hindsql's
			return r.View.Query(ctx, to, ask.Statement{SQL: "DESCRIBE " + sqltext.Identifier(name)})
		case term.IsDescribed(name):
			return term.Describe(to, name)
		}
		return fmt.Errorf("no table or function %q; .tables lists them", name)
	})
}

// plain removes quotes, spaces and semicolons around a table's name.
func plain(name string) string { return strings.Trim(strings.ToLower(name), `"; `) }

func describable(c *completer) []string { return append(tableNames(c), tables.MacroNames()...) }

// ownTable is a table or view that the user made.
type ownTable struct{ name, sql string }

func ownTables(ctx context.Context, s *ask.Session) (list []ownTable, err error) {
	const query = `SELECT lower(table_name), sql FROM duckdb_tables() WHERE NOT internal AND database_name IN ('temp', 'memory') AND schema_name = 'main'
		UNION ALL SELECT lower(view_name), sql FROM duckdb_views() WHERE NOT internal AND database_name IN ('temp', 'memory') AND schema_name = 'main' ORDER BY 1`
	set, err := s.Collect(ctx, query, nil)
	for _, row := range set.Rows {
		list = append(list, ownTable{fmt.Sprint(row[0]), fmt.Sprint(row[1])})
	}
	return list, err
}

func tableNames(c *completer) []string {
	names := tables.ShownNames()
	if own, err := ownTables(context.Background(), c.View.Session); err == nil {
		for _, t := range own {
			names = append(names, t.name)
		}
	}
	return names
}

package prompt

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"hindsql/cmd/hindsql/ask"
	"hindsql/cmd/hindsql/term"
	"hindsql/internal/result"
	"hindsql/internal/sqltext"
	"hindsql/tables"
)

func schemaCommands() []command {
	return []command{
		{name: ".tables", args: "[PATTERN]", help: "list the tables and functions, or those whose names match, such as *call*", aliases: []string{`\dt`, `\dv`}, run: byRunner(listTables), complete: fixed(tableNames)},
		{name: ".describe", args: "[NAME]", help: "show the columns of a table and what they mean, or what a function does", aliases: []string{`\d`, `\d+`}, run: byRunner(describe), complete: fixed(describable)},
		{name: ".functions", args: "[PATTERN]", help: "list the functions here; with a pattern, such as regexp*, DuckDB's own too", aliases: []string{`\df`, `\df+`}, run: byRunner(listFunctions), complete: fixed(func(*completer) []string { return tables.MacroNames() })},
		{name: ".schema", args: "[NAME]", help: "show the SQL that makes a table, a view or a function of yours, or every one", aliases: []string{`\sv`, `\sf`}, run: byRunner(showSchema), complete: fixed(tableNames)},
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

// listFunctions lists functions, those of hindsql first. DuckDB's own, several hundred,
// are listed only with a pattern.
func listFunctions(ctx context.Context, r *runner, pattern string) error {
	pattern = plain(pattern)
	const query = `SELECT function_name || '(' || coalesce(list_aggregate(parameters, 'string_agg', ', '), '') || ')', coalesce(description, if(internal, function_type, 'yours')), function_name
		FROM duckdb_functions() WHERE function_name SIMILAR TO '[a-z].*' AND (internal OR database_name IN ('temp', 'memory') AND schema_name = 'main') AND ($all OR NOT internal) ORDER BY ALL`
	return r.show(ctx, func(ctx context.Context, to *term.Output) error {
		list := result.Set{Columns: result.Columns("call VARCHAR", "what VARCHAR")}
		for _, m := range tables.Macros() {
			if pattern == "" || matchesName(pattern, m.Name) {
				list.Rows = append(list.Rows, []any{m.Call, m.Title})
			}
		}
		own, err := r.View.Session.Collect(ctx, query, map[string]any{"all": pattern != ""})
		if err != nil {
			return err
		}
		seen := map[any]bool{}
		for _, row := range own.Rows {
			if name, _ := row[2].(string); (pattern == "" || matchesName(pattern, name)) && !seen[row[0]] {
				list.Rows, seen[row[0]] = append(list.Rows, row[:2]), true
			}
		}
		if len(list.Rows) == 0 {
			return fmt.Errorf("no function %q; .functions lists them", pattern)
		}
		return to.List(list)
	})
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

// ownMacros returns the functions that the user made, each as a CREATE MACRO.
func ownMacros(ctx context.Context, s *ask.Session) (list []ownTable, err error) {
	const query = `SELECT lower(function_name), 'CREATE MACRO ' || function_name || '(' || coalesce(list_aggregate(parameters, 'string_agg', ', '), '') || ') AS ' || if(function_type = 'table_macro', 'TABLE ', '') || macro_definition
		FROM duckdb_functions() WHERE NOT internal AND macro_definition IS NOT NULL AND database_name IN ('temp', 'memory') AND schema_name = 'main' ORDER BY 1`
	set, err := s.Collect(ctx, query, nil)
	for _, row := range set.Rows {
		list = append(list, ownTable{fmt.Sprint(row[0]), fmt.Sprint(row[1])})
	}
	return list, err
}

func showSchema(ctx context.Context, r *runner, name string) error {
	name = plain(name)
	return r.show(ctx, func(ctx context.Context, to *term.Output) error {
		own, err := ownTables(ctx, r.View.Session)
		if err != nil {
			return err
		}
		macros, err := ownMacros(ctx, r.View.Session)
		if err != nil {
			return err
		}
		own = append(own, macros...)
		for _, t := range tables.Shown() {
			own = append(own, ownTable{t.Name, ddl(t)})
		}
		found := false
		for _, t := range own {
			if name == "" || t.name == name {
				found = true
				fmt.Fprintln(to, strings.TrimRight(t.sql, ";\n")+";")
			}
		}
		if !found {
			return fmt.Errorf("no table or function of yours %q; .tables lists them", name)
		}
		return nil
	})
}

// ddl returns a CREATE TABLE statement for a table, with a column on each line.
func ddl(t *tables.Table) string {
	lines := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		lines[i] = "  " + c.Name + " " + c.Type
	}
	return "CREATE TABLE " + t.Name + " (\n" + strings.Join(lines, ",\n") + "\n)"
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

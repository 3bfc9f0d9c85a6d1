package prompt

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"hindsql/cmd/hindsql/render"
	"hindsql/cmd/hindsql/show"
	"hindsql/tables"
)

func schemaCommands() []command {
	return []command{
		{name: ".tables", help: "list the tables and functions", aliases: []string{`\dt`}, run: (*Prompt).tables},
		{name: ".describe", args: "[NAME]", help: "show the columns of a table and what they mean, or what a function does", aliases: []string{`\d`}, run: (*Prompt).describe, complete: fixed(describable)},
		{name: ".schema", args: "[TABLE]", help: "show the SQL that makes a table, or every one", run: (*Prompt).schema, complete: fixed(tableNames)},
	}
}

func (p *Prompt) tables(ctx context.Context, _ string) error {
	return p.show(ctx, func(ctx context.Context, to *render.Output) error {
		if err := p.View.Tables(ctx, to); err != nil || !to.ForPeople() {
			return err
		}
		own, err := p.ownTables(ctx)
		for _, t := range own {
			fmt.Fprintf(to, "%s (yours)\n", t.name)
		}
		return err
	})
}

func (p *Prompt) describe(ctx context.Context, name string) error {
	name = plain(name)
	if name == "" {
		return p.tables(ctx, "")
	}
	return p.show(ctx, func(ctx context.Context, to *render.Output) error {
		own, err := p.ownTables(ctx)
		switch {
		case err != nil:
			return err
		case slices.ContainsFunc(own, func(t ownTable) bool { return t.name == name }): // which hides ours
			return p.View.Query(ctx, to, show.Statement{SQL: `DESCRIBE "` + strings.ReplaceAll(name, `"`, `""`) + `"`})
		case show.IsDescribed(name):
			return show.Describe(to, name)
		}
		return fmt.Errorf("no table or function %q; .tables lists them", name)
	})
}

// plain removes what SQL allows around a table's name.
func plain(name string) string { return strings.Trim(strings.ToLower(name), `"; `) }

func describable(p *Prompt) []string { return append(tableNames(p), show.FunctionNames()...) }

// ownTable is a table or view that the user made.
type ownTable struct{ name, sql string }

func (p *Prompt) ownTables(ctx context.Context) (list []ownTable, err error) {
	const query = `SELECT lower(table_name), sql FROM duckdb_tables() WHERE NOT internal AND database_name IN ('temp', 'memory') AND schema_name = 'main'
		UNION ALL SELECT lower(view_name), sql FROM duckdb_views() WHERE NOT internal AND database_name IN ('temp', 'memory') AND schema_name = 'main' ORDER BY 1`
	set, err := p.View.Collect(ctx, query, nil)
	for _, row := range set.Rows {
		list = append(list, ownTable{fmt.Sprint(row[0]), fmt.Sprint(row[1])})
	}
	return list, err
}

func (p *Prompt) schema(ctx context.Context, name string) error {
	name = plain(name)
	return p.show(ctx, func(ctx context.Context, to *render.Output) error {
		own, err := p.ownTables(ctx)
		if err != nil {
			return err
		}
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
			return fmt.Errorf("no table %q; .tables lists them", name)
		}
		return nil
	})
}

// ddl is the statement that makes a table, a column on each line.
func ddl(t *tables.Table) string {
	lines := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		lines[i] = "  " + c.Name + " " + c.Type
	}
	return "CREATE TABLE " + t.Name + " (\n" + strings.Join(lines, ",\n") + "\n)"
}

func tableNames(p *Prompt) []string {
	names := show.TableNames()
	if own, err := p.ownTables(context.Background()); err == nil {
		for _, t := range own {
			names = append(names, t.name)
		}
	}
	return names
}

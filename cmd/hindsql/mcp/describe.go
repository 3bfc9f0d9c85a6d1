package mcp

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"hindsql/internal/result"
	"hindsql/internal/suggest"
	"hindsql/internal/words"
	"hindsql/queries"
	"hindsql/tables"
)

// describe lists tables, functions and saved queries. With a name, describe explains a
// single table, function or query.
func describe(ctx context.Context, c *call, a *arguments) (*page, error) {
	set, about, err := c.described(ctx, a.name)
	if err != nil {
		return nil, err
	}
	return c.pageOf(set, about, a)
}

// described returns what describe answers about a table, function or saved query: rows,
// and a text to show before the rows. For an empty name, the rows list all of them.
func (c *call) described(ctx context.Context, name string) (set result.Set, about string, err error) {
	if name == "" {
		set, err = c.everything(ctx)
		return set, "", err
	}
	for _, t := range tables.Shown() {
		if strings.EqualFold(t.Name, name) {
			return c.table(ctx, t)
		}
	}
	for _, m := range tables.Macros() {
		if strings.EqualFold(m.Name, name) {
			return result.Set{Columns: result.Columns("call VARCHAR", "example VARCHAR"), Rows: [][]any{{m.Call, m.Example}}}, m.Title + ". " + m.Doc + "\n", nil
		}
	}
	q, err := c.Source.Saved(name)
	if err != nil {
		known := append(tables.ShownNames(), tables.MacroNames()...)
		return set, "", fmt.Errorf("nothing is called %q%s", oneLine(name), suggest.Ask(name, known, "describe without a name lists all"))
	}
	return parameters(q), fmt.Sprintf("%s: %s\n%s\n\n%s\n", q.Name, q.Title, q.Prose, withoutHelp(q.SQL)), nil
}

func (c *call) table(ctx context.Context, t *tables.Table) (set result.Set, about string, err error) {
	counted, err := c.inCrowd(ctx, "SELECT count(*) FROM "+t.Name, nil)
	if err != nil {
		return set, "", err
	}
	set.Columns = result.Columns("column VARCHAR", "type VARCHAR", "what VARCHAR")
	for _, column := range t.Columns {
		set.Rows = append(set.Rows, []any{column.Name, column.Type, column.Doc})
	}
	n, _ := counted.Rows[0][0].(int64)
	return set, fmt.Sprintf("%s, %s: %s\n", t.Name, words.Quantity(n, "row"), t.Doc), nil
}

func parameters(q *queries.Query) result.Set {
	set := result.Set{Columns: result.Columns("parameter VARCHAR", "type VARCHAR", "default VARCHAR", "what VARCHAR")}
	for _, p := range q.Takes() {
		what := p.Doc
		if p.Values != nil {
			what += ": " + strings.Join(p.Values, ", ")
		}
		set.Rows = append(set.Rows, []any{p.Name, p.Type, p.Default, what})
	}
	return set
}

// everything lists the tables with their number of rows in scope, the functions, and
// the saved queries.
func (c *call) everything(ctx context.Context) (result.Set, error) {
	set := result.Set{Columns: result.Columns("kind VARCHAR", "name VARCHAR", "what VARCHAR")}
	listed, err := c.inCrowd(ctx, "SELECT name, what, rows FROM tables WHERE kind = 'table'", nil)
	if err != nil {
		return set, err
	}
	for _, row := range listed.Rows {
		doc, _ := row[1].(string)
		what := sentence(doc)
		if n, counted := row[2].(int64); counted {
			what += " (" + words.Int(n) + ")"
		}
		set.Rows = append(set.Rows, []any{"table", row[0], what})
	}
	for _, m := range tables.Macros() {
		set.Rows = append(set.Rows, []any{"function", m.Call, sentence(m.Title)})
	}
	all, _ := c.Source.Queries() // the tool run tells the error of a user's file
	for _, q := range all {
		set.Rows = append(set.Rows, []any{"query", q.Name, q.Title})
	}
	return set, nil
}

// sentence returns the first sentence of a text, up to a semicolon, and of at most 110
// characters.
func sentence(text string) string {
	const most = 110
	first, _, _ := strings.Cut(words.FirstSentence(text), "; ")
	return words.Cut(strings.TrimSuffix(first, "."), most)
}

// pageOf returns one page of a result that is held in memory.
func (c *call) pageOf(set result.Set, about string, a *arguments) (*page, error) {
	of := mark("describe", a.name)
	at, err := readCursor(a.cursor, of)
	if err != nil {
		return nil, err
	}
	if at.offset > 0 {
		about = ""
	}
	a.Rows = cmp.Or(a.Rows, mostRows)
	p := &page{bounds: a.bounds, about: about, warnings: c.warnings()}
	p.cursor = func(given int64) string { return cursor{at.offset + given, of, ""}.text() }
	set.Rows = set.Rows[min(at.offset, int64(len(set.Rows))):]
	return p, p.take(set.Read())
}

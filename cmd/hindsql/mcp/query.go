package mcp

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"hindsql/cmd/hindsql/ask"
	"hindsql/internal/result"
	"hindsql/internal/suggest"
	"hindsql/internal/words"
	"hindsql/queries"
	"hindsql/tables"
)

// query runs the SQL of a call to the tool query.
func query(ctx context.Context, c *call, a *arguments) (*page, error) {
	values, err := a.values()
	if err != nil {
		return nil, err
	}
	a.Rows = cmp.Or(a.Rows, usualRows)
	params, err := json.Marshal(a.params) // sorted by name
	if err != nil {
		return nil, err
	}
	if err := c.addNoticeIfEmpty(ctx); err != nil {
		return nil, err
	}
	return c.page(ctx, ask.Statement{SQL: a.sql, Args: values}, hashOf(a.sql, string(params)), a.bounds, a.cursor)
}

// runSaved runs the saved query of a call to the tool run.
func runSaved(ctx context.Context, c *call, a *arguments) (*page, error) {
	q, err := c.Source.Saved(a.name)
	if err != nil {
		return nil, err
	}
	params, err := a.words()
	if err != nil {
		return nil, err
	}
	given, err := q.ParseArgs(params)
	if err != nil {
		return nil, err
	}
	given, a.Rows = withoutDefaultLimit(q, given, a.Rows)
	if err := c.addNoticeIfEmpty(ctx); err != nil {
		return nil, err
	}
	bound, err := c.session.Bind(ctx, q, given)
	if err != nil {
		return nil, err
	}
	c.notices = append(c.notices, bound.Notices...)
	if err := c.addCutNotice(ctx, bound); err != nil {
		return nil, err
	}
	return c.page(ctx, bound, hashOf(append([]string{q.SQL}, params...)...), a.bounds, a.cursor)
}

// withoutDefaultLimit removes a query's default limit and returns it as the number of
// rows on a page, so the next pages have the other rows. A limit that the caller set
// stays. rows is the page size that the caller asked for; 0 if none.
func withoutDefaultLimit(q *queries.Query, given map[string]any, rows int64) (map[string]any, int64) {
	top := q.Param(queries.Top)
	if _, said := given[queries.Top]; said || top == nil {
		return given, cmp.Or(rows, usualRows)
	}
	given[queries.Top] = ""
	usual, err := strconv.ParseInt(strings.Trim(top.Default, "'"), 10, 64)
	if err != nil || usual <= 0 {
		usual = usualRows
	}
	return given, cmp.Or(rows, min(usual, mostRows))
}

// addCutNotice adds a notice if the limit in the call leaves out rows. It says how many rows
// the answer has and how many there are.
func (c *call) addCutNotice(ctx context.Context, bound ask.Statement) error {
	return c.memory.run(func() error {
		if limit, of := c.session.Cut(ctx, bound); of > limit {
			c.notices = append(c.notices, ask.Notice{Kind: ask.Limited, Subject: words.Int(limit) + " of " + words.Quantity(of, cmp.Or(bound.Saved.Row, "row")) + "; top=0 for all"})
		}
		return ctx.Err()
	})
}

// addNoticeIfEmpty adds a notice if no sessions are in scope, or none are loaded at all.
func (c *call) addNoticeIfEmpty(ctx context.Context) error {
	set, err := c.runOwnSQL(ctx, "SELECT 1 FROM sessions LIMIT 1", nil)
	if err != nil || len(set.Rows) > 0 {
		return err
	}
	if c.Scope == "" {
		c.addNotice("no sessions are loaded: no coding agent left logs on this machine")
		return nil
	}
	c.addNotice("no session ran in " + c.Scope + "; the user can start `hindsql mcp --all`")
	if c.Notice != nil {
		c.outside.Do(func() { c.Notice("mcp: no session ran in %s; --all answers from all projects", c.Scope) })
	}
	return nil
}

// addNotice adds a notice that the answer has no data.
func (c *call) addNotice(text string) {
	c.notices = append(c.notices, ask.Notice{Kind: ask.Empty, Subject: text})
}

// cursor says where the next page of a result begins: after how many rows, of which
// statement, and which logs were loaded.
type cursor struct {
	offset    int64
	statement string // a hash
	logs      string // a hash; empty if unknown
}

func (c cursor) text() string {
	return strings.Join([]string{strconv.FormatInt(c.offset, 10), c.statement, c.logs}, "-")
}

// parseCursor parses the text of a cursor; empty means the beginning of the result.
// statement is the hash of the call's statement. A cursor of another statement is an
// error.
func parseCursor(text, statement string) (cursor, error) {
	if text == "" {
		return cursor{statement: statement}, nil
	}
	parts := strings.Split(text, "-")
	if len(parts) != 3 {
		return cursor{}, fmt.Errorf("cursor %s: is none; it is what next was in the answer before", oneLine(text))
	}
	offset, err := strconv.ParseInt(parts[0], 10, 64)
	switch {
	case err != nil || offset < 0:
		return cursor{}, fmt.Errorf("cursor %s: is none; it is what next was in the answer before", oneLine(text))
	case parts[1] != statement:
		return cursor{}, errors.New("cursor: belongs to another call; leave it out to begin anew, or repeat that call's other arguments as they were")
	}
	return cursor{offset, statement, parts[2]}, nil
}

// hashOf returns a short hash of texts.
func hashOf(texts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(texts, "\x00")))
	return hex.EncodeToString(sum[:4])
}

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
		set, err = c.listAll(ctx)
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
	counted, err := c.runOwnSQL(ctx, "SELECT count(*) FROM "+t.Name, nil)
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
	for _, p := range q.AllParams() {
		what := p.Doc
		if p.Values != nil {
			what += ": " + strings.Join(p.Values, ", ")
		}
		set.Rows = append(set.Rows, []any{p.Name, p.Type, p.Default, what})
	}
	return set
}

// listAll lists the tables with their number of rows in scope, the functions, and
// the saved queries.
func (c *call) listAll(ctx context.Context) (result.Set, error) {
	set := result.Set{Columns: result.Columns("kind VARCHAR", "name VARCHAR", "what VARCHAR")}
	listed, err := c.runOwnSQL(ctx, "SELECT name, what, rows FROM tables WHERE kind = 'table'", nil)
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
	of := hashOf("describe", a.name)
	at, err := parseCursor(a.cursor, of)
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
	return p, p.addRows(set.Read())
}

package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"strconv"
	"strings"

	"hindsql/cmd/hindsql/ask"
	"hindsql/internal/words"
	"hindsql/queries"
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
	if err := c.tellIfOutside(ctx); err != nil {
		return nil, err
	}
	return c.page(ctx, ask.Statement{SQL: a.sql, Args: values}, mark(a.sql, string(params)), a.bounds, a.cursor)
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
	given, err := q.Given(params)
	if err != nil {
		return nil, err
	}
	given, a.Rows = uncut(q, given, a.Rows)
	if err := c.tellIfOutside(ctx); err != nil {
		return nil, err
	}
	bound, err := c.session.Bind(ctx, q, given)
	if err != nil {
		return nil, err
	}
	c.notices = append(c.notices, bound.Notices...)
	if err := c.tellCut(ctx, bound); err != nil {
		return nil, err
	}
	return c.page(ctx, bound, mark(append([]string{q.SQL}, params...)...), a.bounds, a.cursor)
}

// uncut removes a query's default limit and returns it as the number of rows on a page,
// so the next pages have the other rows. A limit that the caller set stays. rows is the
// page size that the caller asked for; 0 if none.
func uncut(q *queries.Query, given map[string]any, rows int64) (map[string]any, int64) {
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

// tellCut adds a notice if the limit in the call leaves out rows. It says how many rows
// the answer has and how many there are.
func (c *call) tellCut(ctx context.Context, bound ask.Statement) error {
	return c.crowd.run(func() error {
		if limit, of := c.session.Cut(ctx, bound); of > limit {
			c.notices = append(c.notices, ask.Notice{Kind: ask.Limited, Subject: words.Int(limit) + " of " + words.Quantity(of, cmp.Or(bound.Saved.Row, "row")) + "; top=0 for all"})
		}
		return ctx.Err()
	})
}

// tellIfOutside adds a notice if no sessions are in scope, or none are loaded at all.
func (c *call) tellIfOutside(ctx context.Context) error {
	set, err := c.inCrowd(ctx, "SELECT 1 FROM sessions LIMIT 1", nil)
	if err != nil || len(set.Rows) > 0 {
		return err
	}
	if c.Scope == "" {
		c.tell("no sessions are loaded: no coding agent left logs on this machine")
		return nil
	}
	c.tell("no session ran in " + c.Scope + "; the user can start `hindsql mcp --all`")
	if c.Notice != nil {
		c.outside.Do(func() { c.Notice("mcp: no session ran in %s; --all answers from all projects", c.Scope) })
	}
	return nil
}

// tell adds a notice that the answer has no data.
func (c *call) tell(text string) {
	c.notices = append(c.notices, ask.Notice{Kind: ask.Empty, Subject: text})
}

package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hindsql/near"
	"hindsql/queries"
)

// query answers SQL that was sent.
func query(ctx context.Context, c *call, a *arguments) (*page, error) {
	values, err := a.values()
	if err != nil {
		return nil, err
	}
	a.Rows = cmp.Or(a.Rows, usualRows)
	params, err := json.Marshal(a.params) // in the order of the names
	if err != nil {
		return nil, err
	}
	if err := c.tellIfOutside(ctx); err != nil {
		return nil, err
	}
	return c.page(ctx, statement{sql: a.sql, args: values, mark: mark(a.sql, string(params))}, a.bounds, a.cursor)
}

// runSaved answers a saved query.
func runSaved(ctx context.Context, c *call, a *arguments) (*page, error) {
	q, err := c.saved(a.name)
	if err != nil {
		return nil, err
	}
	words, err := a.words()
	if err != nil {
		return nil, err
	}
	given, err := q.Given(words)
	if err != nil {
		return nil, err
	}
	given, a.Rows = uncut(q, given, a.Rows)
	if err := c.tellIfOutside(ctx); err != nil {
		return nil, err
	}
	bound, err := c.view.Bound(ctx, q, given)
	if err != nil {
		return nil, err
	}
	s := statement{name: q.Name, sql: bound.SQL, args: bound.Args, wrapped: bound.Wrapped, mark: mark(append([]string{q.SQL}, words...)...)}
	return c.page(ctx, s, a.bounds, a.cursor)
}

// uncut has a query's own limit be the size of a page: next gives the rest.
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

// saved finds a saved query by its name.
func (s *Server) saved(name string) (*queries.Query, error) {
	all, err := s.Queries()
	i := slices.IndexFunc(all, func(q *queries.Query) bool { return strings.EqualFold(q.Name, name) })
	if i >= 0 {
		return all[i], nil
	}
	names := make([]string, len(all))
	for i, q := range all {
		names[i] = q.Name
	}
	return nil, errors.Join(fmt.Errorf("no saved query %q%s", oneLine(name), near.Ask(name, names, "describe lists them")), err)
}

// tellIfOutside says so when nothing is in scope, or nothing is loaded at all.
func (c *call) tellIfOutside(ctx context.Context) error {
	set, err := c.collect(ctx, "SELECT 1 FROM sessions LIMIT 1", nil)
	if err != nil || len(set.Rows) > 0 {
		return err
	}
	if c.Scope == "" {
		fmt.Fprintln(&c.told, "no sessions are loaded: no coding agent left logs on this machine")
		return nil
	}
	fmt.Fprintf(&c.told, "no session ran in %s; the user can start `hindsql mcp --all`\n", c.Scope)
	if c.Notice != nil {
		c.outside.Do(func() { c.Notice("mcp: no session ran in %s; --all answers from all projects", c.Scope) })
	}
	return nil
}

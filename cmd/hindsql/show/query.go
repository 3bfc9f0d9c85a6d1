package show

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"hindsql/chart"
	"hindsql/cmd/hindsql/render"
	"hindsql/engine"
	"hindsql/engine/export"
	"hindsql/engine/result"
	"hindsql/queries"
)

// Statement is SQL to run, and how its errors and results are presented.
type Statement struct {
	SQL  string
	Args map[string]any
	// Wrapped are texts that stand in SQL in place of the user's, by those: errors
	// show the user's.
	Wrapped map[string]string
	From    string             // file or query that it comes from; empty when it was typed
	Format  string             // the format it reads best in; empty: the default
	Chart   *chart.Declaration // what a chart of it draws; nil: a rule decides
	Saved   *queries.Query     // the saved query that it is; nil: none
}

// Query runs a statement and writes its results.
func (v *View) Query(ctx context.Context, to *render.Output, q Statement) error {
	to.Chart, to.Answer = q.Chart, q.Answer()
	defer func() { to.Answer = nil }()
	if to.Is(render.Parquet) {
		return v.parquet(ctx, to, q)
	}
	if to.Width > 0 && to.Short == nil {
		to.Short = v.shortIds(ctx)
	}
	write, err := to.Results(q.Format)
	if err != nil {
		return err
	}
	if format, err := to.Choose(q.Format); err == nil && q.Saved != nil && slices.Contains(counted, format.Name) {
		if limit, count, all := q.Saved.Uncut(q.Args); limit > 0 {
			return v.counted(ctx, to, q, write, limit, func() (result.Set, error) { return v.Collect(ctx, count, all) })
		}
	}
	return v.Each(ctx, q, write)
}

// parquet has the engine write a statement's result, which keeps its types. What
// gives no rows is run before it, such as CREATE TEMP TABLE.
func (v *View) parquet(ctx context.Context, to *render.Output, q Statement) error {
	switch rows := engine.GivesRows(q.SQL); {
	case !rows:
		return v.Each(ctx, q, func(*result.Rows) error { return nil })
	case to.Behind:
		return errors.New("parquet: holds one result, and this is a second")
	}
	to.Behind = true
	err := export.WriteParquet(ctx, v.Session, export.Query{Name: cmp.Or(q.From, "the SQL"), SQL: q.SQL, Args: q.Args}, to)
	if err != nil {
		return fmt.Errorf("parquet: %w", err)
	}
	return nil
}

// Saved runs a saved query with the values given for its parameters.
func (v *View) Saved(ctx context.Context, to *render.Output, q *queries.Query, given map[string]any) error {
	if to.Format == "chart" {
		given = q.ForChart(given)
	}
	s, err := v.Bound(ctx, q, given)
	if err != nil {
		return err
	}
	return v.Query(ctx, to, s)
}

// Bound gives a saved query as a statement, with values for its parameters. Of
// those that nothing matches it says so.
func (v *View) Bound(ctx context.Context, q *queries.Query, given map[string]any) (Statement, error) {
	values, err := q.Bind(ctx, v.Collect, given)
	var wrong *queries.ValueError
	var sql *engine.Error
	if errors.As(err, &wrong) && errors.As(err, &sql) {
		err = &queries.ValueError{Name: wrong.Name, Text: wrong.Text, Err: errors.New(sql.Message)} // the place is one in our SQL, which the user does not see
	}
	if err == nil && len(given) > 0 {
		err = v.tellUnmatched(ctx, q, given, values)
	}
	return Statement{SQL: q.Typed(), Wrapped: q.Wrapped(), Args: values, From: q.Name, Format: q.Format, Chart: q.Chart, Saved: q}, err
}

// Collect runs SQL and gives its result. Of several statements it is the last
// one's.
func (v *View) Collect(ctx context.Context, sql string, args map[string]any) (set result.Set, err error) {
	err = v.Session.Query(ctx, sql, args, func(rows *result.Rows) (err error) {
		set, err = result.Collect(rows)
		return err
	})
	return set, err
}

// Each runs a statement and hands each of its results to visit. An error says
// where the statement comes from.
func (v *View) Each(ctx context.Context, q Statement, visit func(*result.Rows) error) error {
	err := v.Session.Query(ctx, q.SQL, q.Args, visit)
	var sql *engine.Error
	if errors.As(err, &sql) {
		sql.Restore(q.Wrapped)
	}
	if err != nil && q.From != "" {
		return fmt.Errorf("%s: %w", q.From, err)
	}
	return err
}

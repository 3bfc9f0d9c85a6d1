package term

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hindsql/cmd/hindsql/ask"
	"hindsql/engine"
	"hindsql/internal/result"
	"hindsql/queries"
)

// counted lists the formats for people. They tell if a query's limit left out rows.
var counted = []string{"table", "line"}

// ErrNoRows is the error of a query for an alert without a row.
var ErrNoRows = errors.New("no rows")

// Query runs a statement and writes its results.
func (v *View) Query(ctx context.Context, to *Output, q ask.Statement) error {
	if !to.Alert {
		v.Tell(q.Notices...)
	}
	to.Chart, to.Answer = q.Chart(), AnswerOf(&q)
	if to.Answer != nil {
		to.Answer.Prices = v.Session.Source().Prices()
	}
	defer func() { to.Answer = nil }()
	if to.Is(Parquet) {
		return v.parquet(ctx, to, q)
	}
	if to.Width > 0 && to.Short == nil {
		to.Short = v.Session.ShortIDs(ctx)
	}
	write, err := to.Results(q.Format())
	if err != nil {
		return err
	}
	q.Seen = to.IsSeen(q.Format())
	tells := false
	if format, err := to.Choose(q.Format()); err == nil {
		q.Count = slices.Contains(counted, format.Name) || ownLimit(&q) > 0
		tells = slices.Contains(counted, format.Name)
	}
	some := false
	err = v.Session.Run(ctx, q, func(a *ask.Answer) error {
		switch {
		case a.Rows.Next():
			some = true
			a.Rows.Unread()
		case to.Alert:
			return a.Rows.Err()
		}
		if to.Alert {
			v.Tell(q.Notices...)
		}
		if to.Answer != nil {
			to.Answer.Of = int(a.Of)
		}
		return write(a.Rows)
	})
	switch {
	case err == nil && to.Alert && !some:
		return ErrNoRows
	case err == nil && !some && len(q.Notices) == 0:
		tellNone(v, &q)
	}
	if err == nil && !tells && to.Answer != nil {
		tellLimit(v, to.Answer, ownLimit(&q))
	}
	return err
}

// tellNone says which values left a saved query without rows, unless a notice said
// already that the tables have none.
func tellNone(v *View, q *ask.Statement) {
	if q.Saved == nil || v.toldEmpty {
		return
	}
	var given []string
	for _, p := range q.Saved.Params {
		if value := q.Given[p.Name]; value != nil && value != "" && p.Name != queries.Top {
			given = append(given, fmt.Sprintf("%s=%v", p.Name, value))
		}
	}
	why := "the logs have none"
	if given != nil {
		why = "none match " + strings.Join(given, " and ")
	}
	v.Tell(ask.Notice{Kind: ask.Unmatched, Subject: q.Name + ": no rows; " + why})
}

// ownLimit returns the limit of a saved query's rows that nobody asked for: the default
// of its parameter top. 0 means none.
func ownLimit(q *ask.Statement) int {
	if q.Saved == nil {
		return 0
	}
	p := q.Saved.Param(queries.Top)
	if p == nil || q.Args[queries.Top] != p.Default {
		return 0
	}
	limit, _ := strconv.Atoi(p.Default)
	return limit
}

// tellLimit writes a notice if the query's own limit left rows out of a file, which has
// no place to say it. limit is the number of rows written.
func tellLimit(v *View, a *Answer, limit int) {
	if a.Of <= limit {
		return
	}
	if a.Total {
		limit++
	}
	v.Tell(ask.Notice{Kind: ask.Limited, Subject: a.counted(limit)})
}

// AnswerOf returns how to show a statement's result to people; nil for SQL that the
// user typed.
func AnswerOf(q *ask.Statement) *Answer {
	if q.Saved == nil {
		return nil
	}
	return &Answer{Noun: q.Saved.Row, Total: q.Saved.Total, All: queries.Top + "=0", Card: q.Saved.Card, Hidden: q.Saved.Hidden}
}

// parquet lets the engine write a statement's result, because only the engine knows the
// columns' exact types. Statements without rows, such as CREATE TEMP TABLE, are run
// without writing anything.
func (v *View) parquet(ctx context.Context, to *Output, q ask.Statement) error {
	switch rows := engine.GivesRows(q.SQL); {
	case !rows:
		return v.Session.Run(ctx, q, func(*ask.Answer) error { return nil })
	case to.Behind:
		return errors.New("parquet: holds one result, and this is a second")
	}
	if to.Alert {
		some := false
		err := v.Session.Run(ctx, q, func(a *ask.Answer) error {
			some = some || a.Rows.Next()
			return a.Rows.Err()
		})
		if err != nil || !some {
			return cmp.Or(err, ErrNoRows)
		}
		v.Tell(q.Notices...)
	}
	to.Behind = true
	if err := v.Session.Parquet(ctx, q, to); err != nil {
		return fmt.Errorf("parquet: %w", err)
	}
	if limit := ownLimit(&q); limit > 0 {
		_, of := v.Session.Cut(ctx, q)
		to.Answer.Of = int(of)
		tellLimit(v, to.Answer, limit)
	}
	return nil
}

// Saved runs a saved query with the given parameter values.
func (v *View) Saved(ctx context.Context, to *Output, q *queries.Query, given map[string]any) error {
	if to.Format == "chart" {
		given = q.ForChart(given)
	}
	s, err := v.Session.Bind(ctx, q, given)
	if err != nil {
		return err
	}
	return v.Query(ctx, to, s)
}

// Collect runs SQL of hindsql's own, and returns its result.
func (v *View) Collect(ctx context.Context, sql string, args map[string]any) (result.Set, error) {
	return v.Session.Collect(ctx, sql, args)
}

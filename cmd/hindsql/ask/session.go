package ask

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"hindsql/engine"
	"hindsql/engine/export"
	"hindsql/internal/chart"
	"hindsql/internal/result"
	"hindsql/internal/sqltext"
	"hindsql/queries"
)

// Session runs the statements of one caller in sequence.
type Session struct {
	source *Source
	engine *engine.Session
}

// Source returns the session's Source.
func (s *Session) Source() *Source { return s.source }

// Store returns the Source's store.
func (s *Session) Store() *engine.Store { return s.source.store }

// Engine returns the engine's session, for completion, exports and transactions.
func (s *Session) Engine() *engine.Session { return s.engine }

// Close ends the session, and drops its temporary objects.
func (s *Session) Close() error { return s.engine.Close() }

// Sync syncs like [Source.Sync]. Sync does nothing in a transaction begun by the user.
func (s *Session) Sync(ctx context.Context, o engine.SyncOptions) (Synced, error) {
	if s.source.lake {
		return Synced{}, nil
	}
	report, err := s.engine.Sync(ctx, o)
	return s.source.synced(report, err), err
}

// Answer is a result with a stream of rows.
type Answer struct {
	Rows *result.Rows // columns and the stream of rows
	Of   int64        // number of rows without the query's own limit; 0 if the limit left out none, or if not counted
}

// Run runs a text of one or several statements, and passes each result to use. An error
// in SQL is an [*engine.Error]; it names the statement, and quotes the text that the
// user wrote.
func (s *Session) Run(ctx context.Context, q Statement, use func(*Answer) error) error {
	if q.Count && q.limit() > 0 {
		return s.counted(ctx, q, use)
	}
	return s.each(ctx, q, func(rows *result.Rows) error { return use(&Answer{Rows: rows}) })
}

// each runs a statement, and passes each result to use. If q.Seen is set, it runs SQL
// without the saved query's hidden columns. If that SQL fails, each runs the original
// SQL instead, to return an error about the SQL that the user knows.
func (s *Session) each(ctx context.Context, q Statement, use func(*result.Rows) error) error {
	if q.Seen && q.Saved != nil && len(q.Saved.Hidden) > 0 {
		began, seen := false, q
		seen.SQL = q.Saved.VisibleSQL()
		err := s.visit(ctx, seen, func(rows *result.Rows) error {
			began = true
			return use(rows)
		})
		if began || !errors.As(err, new(*engine.Error)) {
			return err
		}
	}
	return s.visit(ctx, q, func(rows *result.Rows) error {
		if err := q.checked(rows.Columns); err != nil {
			return err
		}
		return use(rows)
	})
}

func (s *Session) visit(ctx context.Context, q Statement, visit func(*result.Rows) error) error {
	if q.One || q.Page != (engine.Page{}) {
		return q.worded(s.engine.Page(ctx, q.SQL, q.Args, q.Page, visit))
	}
	return q.worded(s.engine.Query(ctx, q.SQL, q.Args, visit))
}

// counted runs a saved query that has a limit, and passes to use also the number of
// rows without the limit. It counts only if the result reaches the limit; otherwise the
// number is 0. It counts after the statement's end, because a session runs one
// statement at a time.
func (s *Session) counted(ctx context.Context, q Statement, use func(*Answer) error) error {
	var sets []result.Set
	var syncedAt time.Time
	err := s.each(ctx, q, func(rows *result.Rows) error {
		set, err := result.Collect(rows)
		sets, syncedAt = append(sets, set), rows.SyncedAt
		return err
	})
	if err != nil {
		return err
	}
	of := int64(0)
	if len(sets) == 1 {
		n := int64(len(sets[0].Rows))
		if q.Saved.Total {
			n--
		}
		if of = max(0, s.Uncut(ctx, q, n)); of == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	for i := range sets {
		rows := sets[i].Read()
		rows.SyncedAt = syncedAt
		if err := use(&Answer{rows, of}); err != nil {
			return err
		}
	}
	return nil
}

// Count runs a statement whose only value is a number; -1 if it fails.
func (s *Session) Count(ctx context.Context, q Statement) int64 {
	set, err := s.Collect(ctx, q.SQL, q.Args)
	if err != nil || len(set.Rows) != 1 {
		return -1
	}
	n, ok := set.Rows[0][0].(int64)
	if !ok {
		return -1
	}
	return n
}

// Total returns the number of all rows of a statement, not only those of its page; -1
// if counting fails.
func (s *Session) Total(ctx context.Context, q Statement) int64 { return s.Count(ctx, q.counting()) }

// Uncut returns the number of rows that a saved query would have without its own limit,
// see [queries.Query.Uncut]; -1 for typed SQL.
func (s *Session) Uncut(ctx context.Context, q Statement, n int64) int64 {
	if q.Saved == nil {
		return -1
	}
	return q.Saved.Uncut(ctx, s.Collect, q.Args, n)
}

// Cut returns a saved query's own limit, and how many rows the query would have without
// the limit. limit is 0 if the query has none; of is 0 if unknown.
func (s *Session) Cut(ctx context.Context, q Statement) (limit, of int64) {
	limit = q.limit()
	return limit, max(0, s.Uncut(ctx, q, limit))
}

// Collect runs SQL of hindsql's own, and returns the result of the last statement. It
// is a [queries.Run].
func (s *Session) Collect(ctx context.Context, sql string, args map[string]any) (set result.Set, err error) {
	err = s.engine.Query(ctx, sql, args, func(rows *result.Rows) (err error) {
		set, err = result.Collect(rows)
		return err
	})
	return set, err
}

// Parquet writes a statement's result as a Parquet file, with its types. The statement
// must return rows, see [engine.IsQuery].
func (s *Session) Parquet(ctx context.Context, q Statement, to io.Writer) error {
	name := q.Name
	if name == "" {
		name = "the SQL"
	}
	return export.WriteParquet(ctx, s.engine, export.Query{Name: name, SQL: q.SQL, Args: q.Args}, to)
}

// Bind returns a saved query as a statement with the given parameter values. Values are
// texts in the form of their types, see [queries.Query.ParseArgs]. The statement's Notices
// name values that match nothing. An invalid value is a [*queries.ValueError].
func (s *Session) Bind(ctx context.Context, q *queries.Query, given map[string]any) (Statement, error) {
	values, err := q.Bind(ctx, s.Collect, given)
	var wrong *queries.ValueError
	var sql *engine.Error
	if errors.As(err, &wrong) && errors.As(err, &sql) {
		err = &queries.ValueError{Name: wrong.Name, Text: wrong.Text, Err: errors.New(sql.Message)} // the error's place is in hindsql's SQL around the value, which the user doesn't see
	}
	to := Statement{Name: q.Name, SQL: q.TypedSQL(), Args: values, Given: given, Wrapped: q.CastTexts(), Saved: q}
	if err == nil && len(given) > 0 {
		to.Notices, err = s.doubtNotices(ctx, q, given, values)
	}
	return to, err
}

// doubtNotices returns notices about given values that match nothing, or a period without
// rows.
func (s *Session) doubtNotices(ctx context.Context, q *queries.Query, given, values map[string]any) (list []Notice, err error) {
	doubts, err := q.Doubts(ctx, s.Collect, given, values)
	for _, d := range doubts {
		kind := Unmatched
		if d.Outside {
			kind = Outside
		}
		list = append(list, Notice{Kind: kind, Subject: d.Text})
	}
	return list, err
}

// IsEmpty reports whether no log was ever loaded into the store.
func (s *Session) IsEmpty(ctx context.Context) (bool, error) {
	set, err := s.Collect(ctx, "SELECT 1 FROM sources LIMIT 1", nil)
	return len(set.Rows) == 0, err
}

// Statement is SQL to run: typed, or a saved query with values for its parameters, see
// [Session.Bind].
type Statement struct {
	Name    string // of the file or the query, the prefix of errors; empty for typed SQL
	SQL     string
	Args    map[string]any // by parameter name; texts or nil
	Given   map[string]any // the values among Args that the caller gave
	Wrapped map[string]string
	Saved   *queries.Query // the saved query; nil for typed SQL
	Page    engine.Page    // requested rows; zero: all. A page needs a single statement, as One does
	One     bool           // a text must have exactly one statement
	Count   bool           // if a saved query's limit leaves out rows, count all rows: see [Answer.Of]
	Seen    bool           // leave out a saved query's hidden columns, which only pages and files show
	Notices []Notice       // from [Session.Bind]: values that match nothing
}

// Typed returns a statement typed by the user.
func Typed(sql string) Statement { return Statement{SQL: sql} }

// Instead returns typed SQL wrapped between before and after. Errors show only the
// typed part.
func Instead(before, typed, after string) Statement {
	return Statement{SQL: before + typed + after, Wrapped: map[string]string{before: ""}}
}

// Format returns the query's preferred format; empty for the default.
func (q *Statement) Format() string {
	if q.Saved == nil {
		return ""
	}
	return q.Saved.Format
}

// Chart returns the chart that the query declares, or the chart that the SQL implies; nil
// for the automatic choice.
func (q *Statement) Chart() *chart.Declaration {
	switch {
	case q.Saved == nil:
		return chart.OfSQL(q.SQL)
	case q.Saved.Chart == nil && len(q.Saved.Hidden) == 0:
		return chart.OfSQL(q.Saved.Body())
	}
	return q.Saved.Chart
}

// checked returns an error if a saved query's result lacks a column named in the
// query's header.
func (q *Statement) checked(columns []result.Column) error {
	if q.Saved == nil || len(columns) == 0 {
		return nil
	}
	return q.Saved.CheckColumns(result.Names(columns))
}

// limit returns the limit that the query's own parameter sets; 0 if the query has none.
func (q *Statement) limit() int64 {
	if q.Saved == nil {
		return 0
	}
	return queries.Limit(q.Args)
}

// counting returns a statement that counts the rows of q.
func (q *Statement) counting() Statement {
	return Statement{SQL: "SELECT count(*) FROM " + sqltext.Subquery(q.SQL), Args: q.Args}
}

// worded restores the text that the user typed in an error about wrapped SQL, and puts
// the statement's name before the error.
func (q *Statement) worded(err error) error {
	if sql, ok := errors.AsType[*engine.Error](err); ok {
		sql.Restore(q.Wrapped)
	}
	if err != nil && q.Name != "" {
		return fmt.Errorf("%s: %w", q.Name, err)
	}
	return err
}

package ask

import (
	"context"
	"errors"
	"io"
	"time"

	"hindsql/engine"
	"hindsql/engine/export"
	"hindsql/internal/result"
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
	Rows     *result.Rows // columns and the stream of rows
	SyncedAt time.Time    // time of the last complete check of the logs
	Behind   string       // why rows may be old; empty if up to date
	Notices  []Notice     // the statement's notices
	Of       int64        // number of rows without the query's own limit; 0 if the limit left out none, or if not counted
	Began    time.Time    // when the engine got the statement
}

// Run runs a text of one or several statements, and passes each result to use. An error
// in SQL is an [*engine.Error]; it names the statement, and quotes the text that the
// user wrote.
func (s *Session) Run(ctx context.Context, q Statement, use func(*Answer) error) error {
	began := time.Now()
	answer := func(rows *result.Rows) *Answer {
		return &Answer{Rows: rows, SyncedAt: rows.SyncedAt, Behind: s.source.Behind(), Notices: q.Notices, Began: began}
	}
	if limit, all := q.limit(); q.Count && limit > 0 {
		return s.counted(ctx, q, limit, all, func(rows *result.Rows, of int64) error {
			a := answer(rows)
			a.Of = of
			return use(a)
		})
	}
	return s.each(ctx, q, func(rows *result.Rows) error { return use(answer(rows)) })
}

// each runs a statement, and passes each result to use. If q.Seen is set, it runs SQL
// without the saved query's hidden columns. If that SQL fails, each runs the original
// SQL instead, to return an error about the SQL that the user knows.
func (s *Session) each(ctx context.Context, q Statement, use func(*result.Rows) error) error {
	if q.Seen && q.Saved != nil && len(q.Saved.Hidden) > 0 {
		began, seen := false, q
		seen.SQL = q.Saved.Seen()
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
func (s *Session) counted(ctx context.Context, q Statement, limit int64, all Statement, use func(*result.Rows, int64) error) error {
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
	total, of := int64(0), int64(0)
	if q.Saved.Total {
		total = 1
	}
	if len(sets) == 1 && int64(len(sets[0].Rows))-total >= limit {
		if n := s.Count(ctx, all); n >= 0 { // -1: not countable, because not a single SELECT
			of = n - total
		} else if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	for i := range sets {
		rows := sets[i].Read()
		rows.SyncedAt = syncedAt
		if err := use(rows, of); err != nil {
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

// Uncut returns the number of rows that a saved query would have without its own limit.
// n is the number of rows with the limit. Uncut returns -1 if n is below the limit, if
// the query has no limit, or if counting fails. A row of totals isn't counted, neither
// in n nor in the result.
func (s *Session) Uncut(ctx context.Context, q Statement, n int64) int64 {
	limit, all := q.limit()
	if limit == 0 || n < limit {
		return -1
	}
	of := s.Count(ctx, all)
	if of > 0 && q.Saved.Total {
		of--
	}
	return of
}

// Cut returns a saved query's own limit, and how many rows the query would have without
// the limit. limit is 0 if the query has none; of is 0 if unknown.
func (s *Session) Cut(ctx context.Context, q Statement) (limit, of int64) {
	limit, _ = q.limit()
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
// must return rows, see [engine.GivesRows].
func (s *Session) Parquet(ctx context.Context, q Statement, to io.Writer) error {
	name := q.Name
	if name == "" {
		name = "the SQL"
	}
	return export.WriteParquet(ctx, s.engine, export.Query{Name: name, SQL: q.SQL, Args: q.Args}, to)
}

// Bind returns a saved query as a statement with the given parameter values. Values are
// texts in the form of their types, see [queries.Query.Given]. The statement's Notices
// name values that match nothing. An invalid value is a [*queries.ValueError].
func (s *Session) Bind(ctx context.Context, q *queries.Query, given map[string]any) (Statement, error) {
	values, err := q.Bind(ctx, s.Collect, given)
	var wrong *queries.ValueError
	var sql *engine.Error
	if errors.As(err, &wrong) && errors.As(err, &sql) {
		err = &queries.ValueError{Name: wrong.Name, Text: wrong.Text, Err: errors.New(sql.Message)} // the error's place is in hindsql's SQL around the value, which the user doesn't see
	}
	to := Statement{Name: q.Name, SQL: q.Typed(), Args: values, Given: given, Wrapped: q.Wrapped(), Saved: q}
	if err == nil && len(given) > 0 {
		to.Notices, err = s.doubts(ctx, q, given, values)
	}
	return to, err
}

// doubts returns notices about given values that match nothing, or a period without
// rows.
func (s *Session) doubts(ctx context.Context, q *queries.Query, given, values map[string]any) (list []Notice, err error) {
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

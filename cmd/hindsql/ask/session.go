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

// Session is one caller's way to ask: one statement runs after the other.
type Session struct {
	source *Source
	engine *engine.Session
}

// Source is what the session asks.
func (s *Session) Source() *Source { return s.source }

// Store is the Source's.
func (s *Session) Store() *engine.Store { return s.source.store }

// Engine is the engine's session, for what is no question: completion, exports,
// transactions.
func (s *Session) Engine() *engine.Session { return s.engine }

// Close ends the session, and drops what only lived in it.
func (s *Session) Close() error { return s.engine.Close() }

// Sync is the Source's. In a transaction that the user began it does nothing.
func (s *Session) Sync(ctx context.Context, o engine.SyncOptions) (Synced, error) {
	if s.source.lake {
		return Synced{}, nil
	}
	report, err := s.engine.Sync(ctx, o)
	return s.source.synced(report, err), err
}

// Answer is a result, while its rows are read.
type Answer struct {
	Rows     *result.Rows // columns, and rows as they come
	SyncedAt time.Time    // when the logs were last found to be loaded
	Behind   string       // why rows may be old; empty where they aren't
	Notices  []Notice     // what else should be known: the statement's
	Of       int64        // rows without the query's own limit; 0 where that cut none, or nobody asked
	Began    time.Time    // when the statement was given to the engine
}

// Run runs a statement, and hands each of its results to use: a text may hold
// several statements. An error of SQL is an [*engine.Error] in the words of who
// typed it, behind the statement's name.
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

// each runs a statement, without its hidden columns where only the others are seen.
// If that is an error of SQL, the statement itself says what is wrong.
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

// counted runs a saved query with a limit, and says how many rows there are without
// it. It counts those only where the limit is reached, and when the statement is
// over: a session runs one at a time.
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
		if n := s.Count(ctx, all); n >= 0 { // else it can't be counted: it is no single SELECT
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

// Count runs a statement whose only value is a number; -1 where it can't be had.
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

// Total counts the rows of a statement, whatever page of them it asks for; -1 where
// they can't be counted.
func (s *Session) Total(ctx context.Context, q Statement) int64 { return s.Count(ctx, q.counting()) }

// Uncut counts the rows that a saved query would have without its own limit, where
// n rows reach that; -1 where they don't, where it has no limit, and where they can't
// be counted. A row of totals counts neither in n nor in the answer.
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

// Cut gives a saved query's own limit, and the number of rows that it would have
// without; zeros where it has no limit, or they can't be counted.
func (s *Session) Cut(ctx context.Context, q Statement) (limit, of int64) {
	limit, _ = q.limit()
	return limit, max(0, s.Uncut(ctx, q, limit))
}

// Collect runs SQL of ours, and gives its result: of several statements the last
// one's. It is a [queries.Run].
func (s *Session) Collect(ctx context.Context, sql string, args map[string]any) (set result.Set, err error) {
	err = s.engine.Query(ctx, sql, args, func(rows *result.Rows) (err error) {
		set, err = result.Collect(rows)
		return err
	})
	return set, err
}

// Parquet writes a statement's result as a Parquet file, with its types. The
// statement has to give rows, see [engine.GivesRows].
func (s *Session) Parquet(ctx context.Context, q Statement, to io.Writer) error {
	name := q.Name
	if name == "" {
		name = "the SQL"
	}
	return export.WriteParquet(ctx, s.engine, export.Query{Name: name, SQL: q.SQL, Args: q.Args}, to)
}

// Bind gives a saved query as a statement, with the values given for its parameters:
// texts in the form of their types, as [queries.Query.Given] reads them. Its Notices
// say which of them nothing matches. A value that is wrong is a
// [*queries.ValueError].
func (s *Session) Bind(ctx context.Context, q *queries.Query, given map[string]any) (Statement, error) {
	values, err := q.Bind(ctx, s.Collect, given)
	var wrong *queries.ValueError
	var sql *engine.Error
	if errors.As(err, &wrong) && errors.As(err, &sql) {
		err = &queries.ValueError{Name: wrong.Name, Text: wrong.Text, Err: errors.New(sql.Message)} // the place is one in our SQL, which the user does not see
	}
	to := Statement{Name: q.Name, SQL: q.Typed(), Args: values, Wrapped: q.Wrapped(), Saved: q}
	if err == nil && len(given) > 0 {
		to.Notices, err = s.doubts(ctx, q, given, values)
	}
	return to, err
}

// doubts are those of the values, as notices.
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

// IsEmpty says that no log was ever loaded into the store.
func (s *Session) IsEmpty(ctx context.Context) (bool, error) {
	set, err := s.Collect(ctx, "SELECT 1 FROM sources LIMIT 1", nil)
	return len(set.Rows) == 0, err
}

// HasSessions says that there is a session in scope.
func (s *Session) HasSessions(ctx context.Context) (bool, error) {
	set, err := s.Collect(ctx, "SELECT 1 FROM sessions LIMIT 1", nil)
	return len(set.Rows) > 0, err
}

package duck

import (
	"context"
	"database/sql"
	"database/sql/driver"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/duckdb/duckdb-go/v2"

	"hindsql/engine/sandbox"
	"hindsql/engine/sqlerror"
	"hindsql/internal/result"
	"hindsql/internal/sqltext"
	"hindsql/tables"
)

// arrow runs a statement with results as Arrow record batches of DuckDB's types: a JSON
// is a string, a TIMESTAMPTZ microseconds in UTC with the session's time zone.
func (s *Conn) arrow(ctx context.Context, statement string, args map[string]any, visit func(array.RecordReader) error) error {
	ctx, clock := s.clocked(ctx)
	defer clock.end()
	bound, err := s.Bind(ctx, statement, args)
	if err != nil {
		return clock.asLimit(err)
	}
	err = s.records(ctx, statement, bound, func(r array.RecordReader) error {
		clock.pause()
		return visit(r)
	})
	return clock.asLimit(err)
}

// records runs a statement with the values of [Conn.Bind].
func (s *Conn) records(ctx context.Context, statement string, bound []any, visit func(array.RecordReader) error) error {
	values := make([]any, len(bound)) // Arrow's interface takes values by position
	for i, b := range bound {
		values[i] = b.(sql.NamedArg).Value
	}
	return Records(ctx, s.conn, statement, values, visit)
}

// Records runs a statement with the values of its parameters in order, on any connection.
func Records(ctx context.Context, conn *sql.Conn, statement string, values []any, visit func(array.RecordReader) error) error {
	return conn.Raw(func(c any) error {
		a, err := duckdb.NewArrowFromConn(c.(driver.Conn))
		if err != nil {
			return err
		}
		r, err := a.QueryContext(ctx, statement, values...)
		if err != nil {
			return ErrorOf(ctx, err)
		}
		defer r.Release()
		if err := visit(r); err != nil {
			return err
		}
		if err := r.Err(); err != nil {
			return ErrorOf(ctx, err)
		}
		return nil
	})
}

// unreleased is a record reader that is released by its owner only.
type unreleased struct{ array.RecordReader }

// Retain does nothing.
func (*unreleased) Retain() {}

// Release does nothing.
func (*unreleased) Release() {}

// viewOf makes a view of records in the connection's memory database, until release is
// called.
func viewOf(conn *sql.Conn, records array.RecordReader, name string) (release func(), err error) {
	err = conn.Raw(func(c any) error {
		a, err := duckdb.NewArrowFromConn(c.(driver.Conn))
		if err == nil {
			release, err = a.RegisterView(records, name)
		}
		return err
	})
	return release, err
}

// Feed is an Arrow reader that goes on after its end: each scan of a view over the feed
// gives the batches queued since the last scan.
type Feed struct {
	schema  *arrow.Schema
	Queue   []arrow.RecordBatch
	current arrow.RecordBatch
}

// NewFeed makes the view feed_TABLE over a new feed, in the connection's memory. The
// view exists until release is called.
func NewFeed(conn *sql.Conn, t *tables.Table) (f *Feed, release func(), err error) {
	f = &Feed{schema: t.Schema()}
	release, err = viewOf(conn, f, "feed_"+t.Name)
	return f, release, err
}

// Feeds makes a feed for each table, on the DuckDB's own connection, until drop is called.
func (d *DB) Feeds(list []*tables.Table) (feeds map[*tables.Table]*Feed, drop func(context.Context), err error) {
	feeds = map[*tables.Table]*Feed{}
	var releases []func()
	drop = func(ctx context.Context) {
		for t := range feeds {
			_ = d.Exec(ctx, "DROP VIEW IF EXISTS memory.main.feed_"+t.Name)
		}
		for _, release := range releases {
			release()
		}
	}
	for _, t := range list {
		f, release, err := NewFeed(d.conn, t)
		if err != nil {
			return feeds, drop, err
		}
		feeds[t], releases = f, append(releases, release)
	}
	return feeds, drop, nil
}

// Retain does nothing: the batch owns the records.
func (f *Feed) Retain() {}

// Release does nothing.
func (f *Feed) Release() {}

// Schema is the schema of the table.
func (f *Feed) Schema() *arrow.Schema { return f.schema }

// Next moves to the next record of the queue.
func (f *Feed) Next() bool {
	if len(f.Queue) == 0 {
		f.current = nil
		return false
	}
	f.current, f.Queue = f.Queue[0], f.Queue[1:]
	return true
}

// RecordBatch is the current record.
func (f *Feed) RecordBatch() arrow.RecordBatch { return f.current }

// Record is RecordBatch, under its deprecated name.
func (f *Feed) Record() arrow.RecordBatch { return f.current }

// Err is nil: the records are in memory.
func (f *Feed) Err() error { return nil }

// Cast says how Arrow carries the values of a query.
type Cast struct {
	Column func(name, duckType string) string // the SQL of a column
	Limit  string                             // ends the query, such as " LIMIT 10"; empty for none
}

// shows are the first words of statements that aren't queries but can stand in a query.
var shows = firstWords{"describe", "desc", "show", "summarize"}

// AsQuery returns a query with the rows of a statement that isn't a query but can stand in
// one, such as DESCRIBE. It returns other statements unchanged.
func AsQuery(statement string) string {
	if !shows.match(statement) {
		return statement
	}
	return "SELECT * FROM (" + statement + "\n)"
}

// Carry runs a statement with results as Arrow record batches, cast by c if the statement
// is a query, or can stand in one. visit gets the columns of the original query. It calls
// rest for work that takes DuckDB no time.
func (s *Conn) Carry(ctx context.Context, p sqltext.Statement, args map[string]any, c Cast, visit func(columns []result.Column, records array.RecordReader, rest func(func() error) error) error) error {
	return s.statement(ctx, p, args, func(statement string) error {
		ctx, clock := s.clocked(ctx)
		defer clock.end()
		bound, err := s.Bind(ctx, statement, args)
		if err != nil {
			return clock.asLimit(err)
		}
		run, columns := s.cast(ctx, statement, bound, c)
		above := 0 // lines that hindsql put above the user's
		if run != statement {
			above = 1
		}
		err = s.records(ctx, run, bound, func(records array.RecordReader) error {
			if columns == nil { // of a statement that can't stand in a query, such as EXPLAIN
				for _, f := range records.Schema().Fields() {
					columns = append(columns, result.Column{Name: f.Name, Type: "VARCHAR"})
				}
			}
			return visit(columns, records, func(work func() error) error {
				clock.pause()
				defer clock.resume()
				return work()
			})
		})
		return clock.asLimit(sqlerror.ShiftLines(err, above))
	})
}

// cast returns a query whose values Arrow can carry, and the columns of the original query.
func (s *Conn) cast(ctx context.Context, statement string, bound []any, c Cast) (string, []result.Column) {
	if !selects.match(statement) && !shows.match(statement) {
		return statement, nil
	}
	columns := s.describe(ctx, AsQuery(statement), bound)
	if len(columns) == 0 {
		return statement, nil
	}
	return sandbox.SelectColumns("\n"+statement, columns, c.Column) + c.Limit, columns
}

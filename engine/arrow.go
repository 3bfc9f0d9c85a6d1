package engine

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/duckdb/duckdb-go/v2"
)

// arrow runs a statement with results as Arrow record batches of DuckDB's types: a JSON
// is a string, a TIMESTAMPTZ microseconds in UTC with the session's time zone.
func (s *connection) arrow(ctx context.Context, statement string, args map[string]any, visit func(array.RecordReader) error) error {
	ctx, clock := s.clocked(ctx)
	defer clock.end()
	_, values, err := s.values(ctx, statement, args) // Arrow's interface takes values by position
	if err != nil {
		return clock.met(err)
	}
	err = s.records(ctx, statement, values, func(r array.RecordReader) error {
		clock.rest()
		return visit(r)
	})
	return clock.met(err)
}

// records runs a statement with the values of its parameters in order.
func (s *connection) records(ctx context.Context, statement string, values []any, visit func(array.RecordReader) error) error {
	return recordsOf(ctx, s.conn, statement, values, visit)
}

// recordsOf is [connection.records] on a bare connection.
func recordsOf(ctx context.Context, conn *sql.Conn, statement string, values []any, visit func(array.RecordReader) error) error {
	var failed error
	err := conn.Raw(func(c any) error {
		failed = readRecords(ctx, c.(driver.Conn), statement, values, visit)
		return nil // an error would give up the connection
	})
	return cmp.Or(failed, err)
}

func readRecords(ctx context.Context, c driver.Conn, statement string, values []any, visit func(array.RecordReader) error) error {
	a, err := duckdb.NewArrowFromConn(c)
	if err != nil {
		return err
	}
	r, err := a.QueryContext(ctx, statement, values...)
	if err != nil {
		return sqlError(ctx, err)
	}
	defer r.Release()
	if err := visit(r); err != nil {
		return err
	}
	if err := r.Err(); err != nil {
		return sqlError(ctx, err)
	}
	return nil
}

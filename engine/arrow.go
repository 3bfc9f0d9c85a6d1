package engine

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"time"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/duckdb/duckdb-go/v2"

	"hindsql/internal/sqltext"
)

// Records is the result of one statement as Arrow record batches, valid while
// visit runs. A batch has 2,048 rows at most, and is valid until Next.
type Records struct {
	array.RecordReader
	SyncedAt time.Time // as in [Rows]
}

// Arrow is [Session.Query] with results as Arrow record batches of DuckDB's types: a
// JSON is a string, a TIMESTAMPTZ microseconds in UTC with the session's time zone. A
// column of a type that Arrow lacks, such as VARIANT, is a string.
func (s *Session) Arrow(ctx context.Context, text string, args map[string]any, visit func(*Records) error) error {
	for _, statement := range sqltext.Statements(text) {
		if err := s.in.batches(ctx, statement, args, visit); err != nil {
			return err
		}
	}
	return nil
}

func (s *connection) batches(ctx context.Context, p sqltext.Statement, args map[string]any, visit func(*Records) error) error {
	return s.statement(ctx, p, func(statement string) error { return s.arrowOrText(ctx, statement, args, visit) })
}

func (s *connection) arrow(ctx context.Context, statement string, args map[string]any, visit func(*Records) error) error {
	ctx, clock := s.clocked(ctx)
	defer clock.end()
	_, values, err := s.values(ctx, statement, args) // Arrow's interface takes values by position
	if err != nil {
		return clock.met(err)
	}
	synced := s.syncedAt()
	err = s.records(ctx, statement, values, func(r array.RecordReader) error {
		clock.rest()
		return visit(&Records{r, synced})
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

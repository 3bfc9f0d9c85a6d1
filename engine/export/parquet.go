package export

import (
	"context"
	"io"

	"hindsql/engine"
)

// WriteParquet writes the result of a query as one Parquet file to w: each column
// in the type that DuckDB has for it, the rows in the query's order. The query is
// one statement that gives rows.
func WriteParquet(ctx context.Context, s *engine.Session, q Query, w io.Writer) error {
	err := s.Read(ctx, func(r *engine.Reading) error {
		e := &exporting{Options{Out: w, Format: Parquet, Query: &q}, r, s.Store().Hostname()}
		defer e.dropQuery(ctx)
		it, err := e.queryItem(ctx)
		if err != nil {
			return err
		}
		_, err = e.toOut(ctx, it)
		return err
	})
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

package export

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"hindsql/engine"
	"hindsql/engine/store"
	"hindsql/internal/regular"
	"hindsql/internal/result"
	"hindsql/internal/sqltext"
)

// WriteParquet writes the result of a query as one Parquet file to w. Columns keep
// DuckDB's types, and rows the query's order. The query is one statement that returns
// rows. WriteParquet writes nothing before all rows are ready.
func WriteParquet(ctx context.Context, s *engine.Session, q Query, w io.Writer) error {
	write := ownParquet
	if s.Store().IsSafe() {
		write = safeParquet
	}
	err := write(ctx, s, q, w)
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// ownParquet runs the user's own query in a store that may write files.
func ownParquet(ctx context.Context, s *engine.Session, q Query, w io.Writer) error {
	return s.Read(ctx, func(r *engine.Reading) error {
		e := &exporting{Options: Options{Out: w, Format: Parquet, Query: &q}, reading: r, host: s.Store().Hostname(), machine: s.Store().Machine()}
		defer e.dropQuery(ctx)
		it, err := e.queryItem(ctx)
		if err != nil {
			return err
		}
		_, err = e.toOut(ctx, it)
		return err
	})
}

// safeParquet runs a query in a safe store, which writes no files. A database without
// the user's SQL then gets the rows and writes the file.
func safeParquet(ctx context.Context, s *engine.Session, q Query, w io.Writer) error {
	dir, drop, err := store.Scratch("export")
	if err != nil {
		return err
	}
	defer drop()
	path := filepath.Join(dir, "rows")
	err = s.HandOver(ctx, dir, q.Name, q.SQL, q.Args, func(h *engine.Handed) error {
		o := &Options{Format: Parquet}
		options := o.copyOptions(nil, keyValues("hindsql.query", h.Clean(q.SQL)))
		rows := fmt.Sprintf("SELECT %s FROM (%s)", strings.Join(o.named(h.Columns), ", "), h.From())
		return h.Exec(ctx, fmt.Sprintf("COPY (%s) TO %s (%s)", rows, sqltext.Literal(path), options))
	})
	if err != nil {
		return err
	}
	f, err := regular.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(w, f)
	return err
}

// named renames the columns c0, c1 … to the query's column names.
func (o *Options) named(columns []result.Column) []string {
	list, used := make([]string, len(columns)), map[string]bool{}
	for i, c := range columns {
		list[i] = fmt.Sprintf("c%d AS %s", i, sqltext.Identifier(o.distinct(c.Name, used)))
	}
	return list
}

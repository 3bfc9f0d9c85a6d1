package engine

import (
	"context"
	"fmt"

	"hindsql/engine/sandbox"
	"hindsql/internal/result"
)

// asText rewrites a query if duckdb-go would refuse some of its columns or decode them
// with loss. These columns then come as texts in DuckDB's notation: see
// [sandbox.CastForDriver]. The rewritten query has one more line, before the user's
// first. If limit isn't empty, asText rewrites every query and appends limit. The
// columns are those of the user's query; nil if asText doesn't rewrite the query.
func (s *connection) asText(ctx context.Context, statement string, bound []any, limit string) (string, []result.Column) {
	if !selects.begin(statement) {
		return statement, nil
	}
	columns := s.describe(ctx, statement, bound)
	below := "\n" + statement
	run := sandbox.CastColumns(below, columns, sandbox.CastForDriver)
	if run == below && limit == "" || len(columns) == 0 {
		return statement, nil
	}
	if run == below {
		run = sandbox.Selection(below, columns, func(name, _ string) string { return name })
	}
	for i := range columns {
		columns[i].Type = sandbox.Name(columns[i].Type) // as if the query weren't rewritten
	}
	return run + limit, columns
}

// describe returns a query's columns, none if DuckDB fails. In this case running the
// query gives the reason.
func (s *connection) describe(ctx context.Context, statement string, bound []any) []result.Column {
	rows, err := s.conn.QueryContext(ctx, "DESCRIBE "+statement, bound...)
	if err != nil {
		endIfBroken(s.in.note(err))
		return nil
	}
	defer rows.Close()
	var columns []result.Column
	for rows.Next() {
		var c result.Column
		var null, key, other, extra any
		if rows.Scan(&c.Name, &c.Type, &null, &key, &other, &extra) != nil {
			return nil
		}
		columns = append(columns, c)
	}
	if rows.Err() != nil {
		return nil
	}
	return columns
}

// toArrow makes a query return texts for types that Arrow lacks.
func toArrow(statement string, columns []result.Column) string {
	return sandbox.CastColumns(statement, columns, sandbox.CastForArrow)
}

// readable returns an error if duckdb-go can't read a column of a statement that
// [connection.asText] doesn't rewrite, such as EXECUTE. Without this check, the error
// would come in the middle of the answer.
func readable(columns []result.Column) error {
	for _, c := range columns {
		if sandbox.Refused(c.Type) {
			return fmt.Errorf("column %q: its type comes as text only; write %[1]s::VARCHAR in the statement", c.Name)
		}
	}
	return nil
}

package engine

import (
	"context"
	"fmt"
	"strings"

	"hindsql/engine/sandbox"
	"hindsql/internal/result"
)

// asText rewrites a query some of whose columns duckdb-go would refuse or decode
// with loss, so that those come as DuckDB writes them: see
// [sandbox.CastForDriver]. One line stands above the query. With a limit, which
// goes behind it, every query is rewritten. The columns are those of the query as
// it was; nil when it stays so.
func (s *connection) asText(ctx context.Context, statement string, bound []any, limit string) (string, []result.Column) {
	if !selects.begin(statement) {
		return statement, nil
	}
	columns := s.describe(ctx, statement, bound)
	below := "\n" + statement
	run := castColumns(below, columns, sandbox.CastForDriver)
	if run == below && limit == "" || len(columns) == 0 {
		return statement, nil
	}
	if run == below {
		run = selection(below, columns, func(name, _ string) string { return name })
	}
	for i := range columns {
		columns[i].Type = sandbox.Name(columns[i].Type) // that of a query which isn't rewritten
	}
	return run + limit, columns
}

// castColumns has columns of a query cast. It is the query itself where none is.
func castColumns(query string, columns []result.Column, cast func(name, duckType string) string) string {
	for i, c := range columns {
		if name := fmt.Sprintf("c%d", i); cast(name, c.Type) != name {
			return selection(query, columns, cast)
		}
	}
	return query
}

// selection is a query of another's columns, which are c0, c1 ….
func selection(query string, columns []result.Column, cast func(name, duckType string) string) string {
	names, list := make([]string, len(columns)), make([]string, len(columns))
	for i, c := range columns {
		names[i] = fmt.Sprintf("c%d", i)
		list[i] = cast(names[i], c.Type)
	}
	return fmt.Sprintf("SELECT %s FROM (%s\n) AS t(%s)", strings.Join(list, ", "), query, strings.Join(names, ", "))
}

// describe gives a query's columns; none when DuckDB doesn't, and then running
// the query says why.
func (s *connection) describe(ctx context.Context, statement string, bound []any) []result.Column {
	rows, err := s.conn.QueryContext(ctx, "DESCRIBE "+statement, bound...)
	if err != nil {
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

// toArrow has a query give as texts what Arrow has no type for.
func toArrow(statement string, columns []result.Column) string {
	return castColumns(statement, columns, sandbox.CastForArrow)
}

// arrowOrText runs a query again, with texts, where Arrow has no type for one of
// its columns. That is an error before the first row.
func (s *connection) arrowOrText(ctx context.Context, statement string, args map[string]any, visit func(*Records) error) error {
	err := s.arrow(ctx, statement, args, visit)
	if err == nil || !strings.Contains(err.Error(), "create arrow schema") || !selects.begin(statement) {
		return err
	}
	columns, described := s.columnsOf(ctx, statement, args)
	if described != nil || len(columns) == 0 {
		return err
	}
	return s.arrow(ctx, toArrow(statement, columns), args, visit)
}

// readable is an error where duckdb-go can't read a column of a statement that
// [Session.asText] doesn't rewrite, such as EXECUTE: better than one behind half
// of an answer.
func readable(columns []result.Column) error {
	for _, c := range columns {
		if sandbox.Refused(c.Type) {
			return fmt.Errorf("column %q: its type comes as text only; write %[1]s::VARCHAR in the statement", c.Name)
		}
	}
	return nil
}

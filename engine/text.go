package engine

import (
	"context"
	"fmt"
	"strings"

	"hindsql/engine/result"
)

// asText rewrites a query some of whose columns duckdb-go would decode with
// loss, so that those come as DuckDB writes them: JSON would lose the order of
// its keys and digits of its numbers, and a struct without field names is an
// error. One line stands above the query. With a limit, which goes behind it, every query is rewritten. The columns are those of the query as it was; nil when it stays so.
func (s *Session) asText(ctx context.Context, statement string, bound []any, limit string) (string, []result.Column) {
	if !selects.MatchString(statement) {
		return statement, nil
	}
	columns := s.describe(ctx, statement, bound)
	lossy := false
	names, list := make([]string, len(columns)), make([]string, len(columns))
	for i, c := range columns {
		names[i] = fmt.Sprintf("c%d", i)
		list[i] = names[i]
		if isLossy(c.Type) {
			lossy = true
			list[i] += "::VARCHAR"
		}
	}
	if !lossy && limit == "" || len(columns) == 0 {
		return statement, nil
	}
	return fmt.Sprintf("SELECT %s FROM (\n%s\n) AS t(%s)", strings.Join(list, ", "), statement, strings.Join(names, ", ")) + limit, columns
}

func isLossy(duckType string) bool {
	return strings.Contains(duckType, "JSON") || strings.Contains(duckType, `STRUCT("" `)
}

// describe gives a query's columns; none when DuckDB doesn't, and then running
// the query says why.
func (s *Session) describe(ctx context.Context, statement string, bound []any) []result.Column {
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

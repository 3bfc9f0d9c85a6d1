package engine

import (
	"context"
	"errors"
	"fmt"

	"hindsql/internal/result"
	"hindsql/internal/sqltext"
)

// Page selects at most Rows rows of a result, from row Offset on. The zero Page selects
// all rows.
type Page struct{ Offset, Rows int64 }

// Page runs one statement as [Session.Query] does, and passes visit only the rows of p.
// DuckDB computes no more rows than p needs. Rows come in the statement's order;
// without ORDER BY, two pages may share rows or miss rows. Page returns an error if
// text holds no statement or several.
func (s *Session) Page(ctx context.Context, text string, args map[string]any, p Page, visit func(*result.Rows) error) error {
	list := sqltext.Statements(text)
	switch len(list) {
	case 0:
		return errors.New("no statement is given")
	case 1:
	default:
		return fmt.Errorf("%d statements are given; run one at a time", len(list))
	}
	return s.in.run(ctx, list[0], args, p, visit)
}

// run runs one statement and passes visit the rows of page.
func (s *connection) run(ctx context.Context, p sqltext.Statement, args map[string]any, page Page, visit func(*result.Rows) error) error {
	return s.statement(ctx, p, func(statement string) error {
		if page == (Page{}) {
			return s.query(ctx, statement, args, "", visit)
		}
		if selects.begin(statement) { // DESCRIBE, SUMMARIZE and EXPLAIN take no LIMIT
			return s.query(ctx, statement, args, fmt.Sprintf(" LIMIT %d OFFSET %d", page.Rows, page.Offset), visit)
		}
		return s.query(ctx, statement, args, "", func(rows *result.Rows) error { return visit(rows.Part(page.Offset, page.Rows)) })
	})
}

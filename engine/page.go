package engine

import (
	"context"
	"errors"
	"fmt"

	"hindsql/internal/result"
	"hindsql/internal/sqltext"
)

// Page is a part of a result: of its rows those from Offset on, Rows at most. The
// zero Page is all of them.
type Page struct{ Offset, Rows int64 }

// Page is [Session.Query] for one statement, of whose rows visit gets a part
// only: DuckDB works out no more than that needs. The order is the statement's;
// where it has none, two parts may share rows, or miss some. A text with no or
// several statements is an error.
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

// run runs one statement, and gives a page of its result.
func (s *connection) run(ctx context.Context, p sqltext.Statement, args map[string]any, page Page, visit func(*result.Rows) error) error {
	return s.statement(ctx, p, func(statement string) error {
		if page == (Page{}) {
			return s.query(ctx, statement, args, "", visit)
		}
		if selects.begin(statement) {
			return s.query(ctx, statement, args, fmt.Sprintf(" LIMIT %d OFFSET %d", page.Rows, page.Offset), visit)
		}
		return s.query(ctx, statement, args, "", func(rows *result.Rows) error { return visit(page.of(rows)) })
	})
}

// of gives the rows of the part, of what no LIMIT can be put behind: DESCRIBE,
// SUMMARIZE, EXPLAIN.
func (p Page) of(rows *result.Rows) *result.Rows {
	at := int64(0)
	part := result.NewRows(rows.Columns, func() ([]any, error) {
		for ; at < p.Offset; at++ {
			if !rows.Next() {
				return nil, rows.Err()
			}
		}
		if at++; at > p.Offset+p.Rows || !rows.Next() {
			return nil, rows.Err()
		}
		return rows.Values(), nil
	})
	part.SyncedAt = rows.SyncedAt
	return part
}

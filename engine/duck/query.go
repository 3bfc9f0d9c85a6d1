package duck

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/duckdb/duckdb-go/v2"

	"hindsql/engine/sandbox"
	"hindsql/engine/sqlerror"
	"hindsql/internal/result"
	"hindsql/internal/sqltext"
)

// Run runs one statement and passes visit the rows of a page. An error of the SQL is a
// [sqlerror.Error].
func (s *Conn) Run(ctx context.Context, p sqltext.Statement, args map[string]any, page Page, visit func(*result.Rows) error) error {
	return s.statement(ctx, p, args, func(statement string) error {
		if page == (Page{}) {
			return s.query(ctx, statement, args, "", visit)
		}
		if selects.match(statement) { // DESCRIBE, SUMMARIZE and EXPLAIN take no LIMIT
			return s.query(ctx, statement, args, fmt.Sprintf(" LIMIT %d OFFSET %d", page.Rows, page.Offset), visit)
		}
		return s.query(ctx, statement, args, "", func(rows *result.Rows) error { return visit(rows.Part(page.Offset, page.Rows)) })
	})
}

// Page selects at most Rows rows of a result, from row Offset on. The zero Page selects
// all rows.
type Page struct{ Offset, Rows int64 }

// statement calls run with a statement that the rules allow, while the store is readable.
func (s *Conn) statement(ctx context.Context, p sqltext.Statement, args map[string]any, run func(statement string) error) error {
	if err := s.busy.Enter(ctx); err != nil {
		return err
	}
	defer s.leave(ctx)
	s.words.ResetColumns()
	if err := s.check(ctx, p); err != nil {
		return err
	}
	if done, err := s.runWithStoreNames(ctx, p, run); done {
		return err
	}
	if err := s.acquire(ctx, Named); err != nil {
		return err
	}
	if err := s.checkRows(ctx, p.Placed(), args); err != nil {
		return err
	}
	err := s.db.checkBroken(run(p.Placed()))
	s.followTransaction(p.Text, err)
	if err == nil && movesPath.match(p.Text) {
		err = s.restoreNames(ctx)
	}
	return err
}

var (
	begins = firstWords{"begin", "start"}
	ends   = firstWords{"commit", "end", "rollback", "abort"}
)

// followTransaction keeps track of whether the user's transaction is open. A
// transaction that an error aborted is open until the user rolls it back.
func (s *Conn) followTransaction(statement string, err error) {
	switch {
	case begins.match(statement):
		s.inTransaction.Store(s.inTransaction.Load() || err == nil)
	case ends.match(statement):
		s.inTransaction.Store(false)
	}
}

func (s *Conn) query(ctx context.Context, statement string, args map[string]any, limit string, visit func(*result.Rows) error) error {
	ctx, clock := s.clocked(ctx)
	defer clock.end()
	a, err := s.start(ctx, statement, args, limit)
	if err != nil {
		return clock.asLimit(err)
	}
	defer a.rows.Close()
	clock.pause()
	read, err := s.read(a.rows, statement, a.above, clock)
	if err != nil {
		return err
	}
	if a.columns != nil {
		read.Columns = a.columns
	}
	if err := visit(read); err != nil {
		return err
	}
	if err := read.Err(); err != nil {
		return err
	}
	return a.rows.Close()
}

// Bind returns the values of a statement's parameters, by name, in order.
func (s *Conn) Bind(ctx context.Context, statement string, args map[string]any) ([]any, error) {
	if !strings.Contains(statement, "$") {
		return nil, nil
	}
	names, err := s.Parameters(ctx, statement)
	if err != nil {
		return nil, err
	}
	return bindNames(names, args)
}

// bindNames returns the values of parameters, by name.
func bindNames(names []string, args map[string]any) (bound []any, err error) {
	for _, name := range names {
		value, ok := args[name]
		if !ok {
			return nil, fmt.Errorf("parameter $%s: no value given", name)
		}
		bound = append(bound, sql.Named(name, value))
	}
	return bound, nil
}

// read returns the rows of a statement, with times in the session's time zone.
func (s *Conn) read(rows *sql.Rows, statement string, above int, clock *clock) (*result.Rows, error) {
	types, err := rows.ColumnTypes()
	if err != nil {
		return nil, err
	}
	var columns []result.Column
	values, targets := make([]any, len(types)), make([]any, len(types))
	for i, t := range types {
		columns = append(columns, result.Column{Name: t.Name(), Type: t.DatabaseTypeName()})
		targets[i] = &values[i]
	}
	if err := checkReadable(columns); err != nil {
		return nil, err
	}
	if isAcknowledgement(columns) && !selects.match(statement) {
		columns = nil
	}
	r := result.NewRows(columns, func() ([]any, error) {
		clock.resume()
		defer clock.pause()
		if !rows.Next() {
			return nil, clock.asLimit(sqlerror.ShiftLines(rowsError(rows), above))
		}
		err := rows.Scan(targets...)
		for i, v := range values {
			if t, ok := v.(time.Time); ok && columns[i].Type == "TIMESTAMPTZ" {
				values[i] = t.In(s.location)
			}
		}
		return values, err
	})
	r.SyncedAt = s.syncedAt()
	return r, nil
}

func rowsError(rows *sql.Rows) error {
	if err := rows.Err(); err != nil {
		return ErrorOf(context.Background(), err)
	}
	return nil
}

// firstWords are the first words of one kind of statement.
type firstWords []string

// match reports whether a statement begins with one of the words.
func (h firstWords) match(statement string) bool { return slices.Contains(h, sqltext.Head(statement)) }

var selects = firstWords{"select", "from", "with", "values", "table", "pivot", "unpivot"}

// IsQuery reports whether a statement's first word is that of a query. The result of
// a query can be kept as a table.
func IsQuery(statement string) bool { return selects.match(statement) }

// OneQuery returns the only statement of a text, which has to be a query. name is the
// text's name in errors.
func OneQuery(name, text string) (p sqltext.Statement, err error) {
	list := sqltext.Statements(text)
	if len(list) != 1 || !IsQuery(list[0].Text) {
		return p, fmt.Errorf("%s: one statement that gives rows is exported", name)
	}
	return list[0], nil
}

// isAcknowledgement reports whether the columns only say that a statement ran. For a
// statement without a result, DuckDB returns one column, Count or Success.
func isAcknowledgement(columns []result.Column) bool {
	return len(columns) == 1 && (columns[0] == result.Column{Name: "Count", Type: "BIGINT"} || columns[0] == result.Column{Name: "Success", Type: "BOOLEAN"})
}

// Parameters returns the names of a statement's parameters. The statement isn't run.
func (s *Conn) Parameters(ctx context.Context, statement string) (names []string, err error) {
	err = s.conn.Raw(func(c any) error {
		prepared, err := c.(driver.ConnPrepareContext).PrepareContext(ctx, statement)
		if err != nil {
			return ErrorOf(ctx, err)
		}
		defer prepared.Close()
		stmt := prepared.(*duckdb.Stmt)
		for i := 1; i <= stmt.NumInput(); i++ {
			name, err := stmt.ParamName(i)
			if err != nil {
				return err
			}
			names = append(names, strings.TrimPrefix(name, "$"))
		}
		return nil
	})
	return names, err
}

// asText rewrites a query if duckdb-go would refuse some of its columns or decode them
// with loss. These columns then come as texts in DuckDB's notation: see
// [sandbox.CastForDriver]. The rewritten query has one more line, before the user's
// first. If limit isn't empty, asText rewrites every query and appends limit. The
// columns are those of the user's query; nil if asText doesn't rewrite the query.
func (s *Conn) asText(ctx context.Context, statement string, bound []any, limit string) (string, []result.Column) {
	if !selects.match(statement) {
		return statement, nil
	}
	columns := s.describe(ctx, statement, bound)
	below := "\n" + statement
	run := sandbox.CastColumns(below, columns, sandbox.CastForDriver)
	if run == below && limit == "" || len(columns) == 0 {
		return statement, nil
	}
	if run == below {
		run = sandbox.SelectColumns(below, columns, func(name, _ string) string { return name })
	}
	for i := range columns {
		columns[i].Type = sandbox.DriverName(columns[i].Type) // as if the query weren't rewritten
	}
	return run + limit, columns
}

// describe returns a query's columns, none if DuckDB fails. In this case running the
// query gives the reason.
func (s *Conn) describe(ctx context.Context, statement string, bound []any) (columns []result.Column) {
	err := s.each(ctx, "DESCRIBE "+statement, func(scan func(...any) error) error {
		var c result.Column
		var null, key, other, extra any
		err := scan(&c.Name, &c.Type, &null, &key, &other, &extra)
		columns = append(columns, c)
		return err
	}, bound...)
	if err != nil {
		return nil
	}
	return columns
}

// checkReadable returns an error if duckdb-go can't read a column of a statement that
// [Conn.asText] doesn't rewrite, such as EXECUTE. Without this check, the error
// would come in the middle of the answer.
func checkReadable(columns []result.Column) error {
	for _, c := range columns {
		if sandbox.IsUnreadable(c.Type) {
			return fmt.Errorf("column %q: its type comes as text only; write %[1]s::VARCHAR in the statement", c.Name)
		}
	}
	return nil
}

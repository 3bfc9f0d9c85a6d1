package engine

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/duckdb/duckdb-go/v2"

	"hindsql/engine/sqlerror"
	"hindsql/internal/result"
	"hindsql/internal/sqltext"
)

// Query runs one or more statements in order and passes the rows of each to visit. The
// rows are valid while visit runs. An error of visit ends the run, and Query returns
// the error unchanged. The store is attached for reading while a statement runs. args
// are bound by name; a statement takes only the args that it names. An error of the SQL
// is an [*Error].
func (s *Session) Query(ctx context.Context, text string, args map[string]any, visit func(*result.Rows) error) error {
	for _, statement := range sqltext.Statements(text) {
		if err := s.in.run(ctx, statement, args, Page{}, visit); err != nil {
			return err
		}
	}
	return nil
}

// statement calls run with a statement while the store is readable.
func (s *connection) statement(ctx context.Context, p sqltext.Statement, run func(statement string) error) error {
	if err := s.busy.Enter(ctx); err != nil {
		return err
	}
	defer s.give(ctx)
	s.words.Forget()
	if err := s.allowed(ctx, p); err != nil {
		return err
	}
	if done, err := s.borrowNames(ctx, p, run); done {
		return err
	}
	if err := s.hold(ctx); err != nil {
		return err
	}
	err := s.in.note(run(p.Placed()))
	s.followTransaction(p.Text, err)
	if err == nil && movesPath.begin(p.Text) {
		err = s.keepNames(ctx)
	}
	return err
}

var (
	begins = heads{"begin", "start"}
	ends   = heads{"commit", "end", "rollback", "abort"}
)

// followTransaction keeps track of whether the user's transaction is open. A
// transaction that an error aborted is open until the user rolls it back.
func (s *connection) followTransaction(statement string, err error) {
	switch {
	case begins.begin(statement):
		s.began.Store(s.began.Load() || err == nil)
	case ends.begin(statement):
		s.began.Store(false)
	}
}

func (s *connection) query(ctx context.Context, statement string, args map[string]any, limit string, visit func(*result.Rows) error) error {
	ctx, clock := s.clocked(ctx)
	defer clock.end()
	a, err := (&asking{s, statement, args, limit}).start(ctx)
	if err != nil {
		return clock.met(err)
	}
	defer a.rows.Close()
	clock.rest()
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

func (s *connection) bind(ctx context.Context, statement string, args map[string]any) ([]any, error) {
	names, values, err := s.values(ctx, statement, args)
	for i, name := range names {
		values[i] = sql.Named(name, values[i])
	}
	return values, err
}

// values returns the names and values of a statement's parameters, in order.
func (s *connection) values(ctx context.Context, statement string, args map[string]any) (names []string, values []any, err error) {
	if !strings.Contains(statement, "$") {
		return nil, nil, nil
	}
	if names, err = s.parameters(ctx, statement); err != nil {
		return nil, nil, err
	}
	for _, name := range names {
		value, ok := args[name]
		if !ok {
			return nil, nil, fmt.Errorf("parameter $%s: no value given", name)
		}
		values = append(values, value)
	}
	return names, values, nil
}

// read returns the rows of a statement, with times in the session's time zone.
func (s *connection) read(rows *sql.Rows, statement string, above int, clock *clock) (*result.Rows, error) {
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
	if err := readable(columns); err != nil {
		return nil, err
	}
	if isAcknowledgement(columns) && !selects.begin(statement) {
		columns = nil
	}
	r := result.NewRows(columns, func() ([]any, error) {
		clock.run()
		defer clock.rest()
		if !rows.Next() {
			return nil, clock.met(sqlerror.MoveUp(rowsError(rows), above))
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
		return sqlError(context.Background(), err)
	}
	return nil
}

// heads are the first words of one kind of statement.
type heads []string

// begin reports whether a statement begins with one of the words.
func (h heads) begin(statement string) bool { return slices.Contains(h, sqltext.Head(statement)) }

var selects = heads{"select", "from", "with", "values", "table", "pivot", "unpivot"}

// GivesRows reports whether a statement's first word is that of a query. The result of
// a query can be kept as a table.
func GivesRows(statement string) bool { return selects.begin(statement) }

// isAcknowledgement reports whether the columns only say that a statement ran. For a
// statement without a result, DuckDB returns one column, Count or Success.
func isAcknowledgement(columns []result.Column) bool {
	return len(columns) == 1 && (columns[0] == result.Column{Name: "Count", Type: "BIGINT"} || columns[0] == result.Column{Name: "Success", Type: "BOOLEAN"})
}

func (s *connection) parameters(ctx context.Context, statement string) (names []string, err error) {
	rawErr := s.conn.Raw(func(c any) error {
		prepared, prepareErr := c.(driver.ConnPrepareContext).PrepareContext(ctx, statement)
		if prepareErr != nil {
			err = sqlError(ctx, prepareErr)
			return nil
		}
		defer prepared.Close()
		names, err = parameterNames(prepared.(*duckdb.Stmt))
		return nil
	})
	if rawErr != nil {
		return nil, rawErr
	}
	return names, err
}

func parameterNames(stmt *duckdb.Stmt) ([]string, error) {
	var names []string
	for i := 1; i <= stmt.NumInput(); i++ {
		name, err := stmt.ParamName(i)
		if err != nil {
			return nil, err
		}
		names = append(names, strings.TrimPrefix(name, "$"))
	}
	return names, nil
}

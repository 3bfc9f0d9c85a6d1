package engine

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/duckdb/duckdb-go/v2"
)

// Column is a column of a result.
type Column struct {
	Name string
	Type string // DuckDB's name of the type
}

// Rows is the result of one statement, valid while visit runs.
type Rows struct {
	Columns  []Column // empty for a statement without a result
	location *time.Location
	rows     *sql.Rows
	values   []any
	targets  []any
	err      error
}

// Query runs one or more statements, and hands the result of each to visit, in
// order; an error of visit ends the run and is returned as it is. The store is
// attached, for reading only, while a statement runs. Of args, which are bound
// by name, each statement takes those that it names. An error of the SQL is an
// [*Error].
func (s *Session) Query(ctx context.Context, text string, args map[string]any, visit func(*Rows) error) error {
	for _, piece := range statements(text) {
		err := s.query(ctx, piece.placed(), args, visit)
		s.followTransaction(piece.text, err)
		if err == nil && movesPath.MatchString(piece.text) {
			err = s.keepNames(ctx)
		}
		s.detach(ctx)
		if err != nil {
			return err
		}
	}
	return nil
}

var (
	begins = statementOf("BEGIN|START")
	ends   = statementOf("COMMIT|END|ROLLBACK|ABORT")
)

// followTransaction keeps track of whether the user's transaction is open. One
// that an error aborted is, until the user rolls it back.
func (s *Session) followTransaction(statement string, err error) {
	switch {
	case begins.MatchString(statement):
		s.began = s.began || err == nil
	case ends.MatchString(statement):
		s.began = false
	}
}

func (s *Session) query(ctx context.Context, statement string, args map[string]any, visit func(*Rows) error) error {
	if err := s.attach(ctx); err != nil {
		return err
	}
	bound, err := s.bind(ctx, statement, args)
	if err != nil {
		return err
	}
	run, columns := s.asText(ctx, statement, bound)
	rows, err := s.conn.QueryContext(ctx, run, bound...)
	if err != nil {
		return sqlError(ctx, err)
	}
	defer rows.Close()
	result, err := s.result(rows, statement)
	if err != nil {
		return err
	}
	if columns != nil {
		result.Columns = columns
	}
	if err := visit(result); err != nil {
		return err
	}
	if err := result.Err(); err != nil {
		return err
	}
	return rows.Close()
}

func (s *Session) bind(ctx context.Context, statement string, args map[string]any) ([]any, error) {
	if !strings.Contains(statement, "$") {
		return nil, nil
	}
	names, err := s.parameters(ctx, statement)
	if err != nil {
		return nil, err
	}
	var bound []any
	for _, name := range names {
		value, ok := args[name]
		if !ok {
			return nil, fmt.Errorf("parameter $%s: no value given", name)
		}
		bound = append(bound, sql.Named(name, value))
	}
	return bound, nil
}

func (s *Session) result(rows *sql.Rows, statement string) (*Rows, error) {
	types, err := rows.ColumnTypes()
	if err != nil {
		return nil, err
	}
	r := &Rows{rows: rows, location: s.location, values: make([]any, len(types)), targets: make([]any, len(types))}
	for i, t := range types {
		r.Columns = append(r.Columns, Column{t.Name(), t.DatabaseTypeName()})
		r.targets[i] = &r.values[i]
	}
	if isAcknowledgement(r.Columns) && !selects.MatchString(statement) {
		r.Columns = nil
	}
	return r, nil
}

var selects = statementOf("SELECT|FROM|WITH|VALUES|TABLE|PIVOT|UNPIVOT")

// statementOf matches statements that begin with one of the words.
func statementOf(words string) *regexp.Regexp {
	return regexp.MustCompile(`(?is)^(\s|--[^\n]*\n|/\*.*?\*/|\()*(` + words + `)\b`)
}

// isAcknowledgement: DuckDB gives a statement without a result one column that
// says no more than that it was run.
func isAcknowledgement(columns []Column) bool {
	return len(columns) == 1 && (columns[0] == Column{"Count", "BIGINT"} || columns[0] == Column{"Success", "BOOLEAN"})
}

// Next moves to the next row; false at the end, and on an error.
func (r *Rows) Next() bool {
	if r.err != nil || len(r.Columns) == 0 || !r.rows.Next() {
		return false
	}
	r.err = r.rows.Scan(r.targets...)
	return r.err == nil
}

// Values is the row, valid until Next. Nil is NULL. A TIMESTAMPTZ is a
// time.Time in the session's time zone; the rest are duckdb-go's types.
func (r *Rows) Values() []any {
	for i, v := range r.values {
		if t, ok := v.(time.Time); ok && r.Columns[i].Type == "TIMESTAMPTZ" {
			r.values[i] = t.In(r.location)
		}
	}
	return r.values
}

// Err is the error that ended Next, if one did.
func (r *Rows) Err() error {
	if r.err != nil {
		return r.err
	}
	if err := r.rows.Err(); err != nil {
		return sqlError(context.Background(), err)
	}
	return nil
}

// Parameters lists the named parameters of a statement, in the order in which
// they first appear, and runs nothing.
func (s *Session) Parameters(ctx context.Context, statement string) ([]string, error) {
	if err := s.attach(ctx); err != nil {
		return nil, err
	}
	defer s.detach(ctx)
	return s.parameters(ctx, statement)
}

func (s *Session) parameters(ctx context.Context, statement string) (names []string, err error) {
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

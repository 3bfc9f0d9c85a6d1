package engine

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/duckdb/duckdb-go/v2"

	"hindsql/engine/sandbox"
	"hindsql/engine/store"
	"hindsql/internal/result"
	"hindsql/internal/sqltext"
)

// Handed gives access to the rows of one query in a separate DuckDB. This DuckDB holds
// no other rows and reaches only the files of one folder.
type Handed struct {
	// Columns are the query's columns. Two columns may share a name.
	Columns []result.Column
	conn    *sql.Conn
	redact  func(text string, isJSON bool) string
}

// handedView is the name of the view of the rows.
const handedView = "handed"

// HandOver runs one query of the user and calls use with its rows. A safe Store writes
// no file. The DuckDB of [Handed] runs no SQL of other people, so it may write a file
// into folder. name is the query's name in errors.
func (s *Session) HandOver(ctx context.Context, folder, name, query string, args map[string]any, use func(*Handed) error) error {
	list := sqltext.Statements(query)
	if len(list) != 1 || !selects.begin(list[0].Text) {
		return fmt.Errorf("%s: one statement that gives rows is exported", name)
	}
	return s.in.hand(ctx, list[0], args, func(columns []result.Column, r array.RecordReader) error {
		return handOver(ctx, s.store.settings.get().Store, folder, s.in.clean(), columns, r, use)
	})
}

func (s *connection) hand(ctx context.Context, p sqltext.Statement, args map[string]any, visit func([]result.Column, array.RecordReader) error) error {
	return s.statement(ctx, p, func(statement string) error {
		columns, err := s.columnsOf(ctx, statement, args)
		if err != nil {
			return err
		}
		return s.arrow(ctx, toArrow(statement, columns), args, func(r array.RecordReader) error { return visit(columns, r) })
	})
}

// columnsOf returns a query's columns with DuckDB's types. Arrow lacks some of the
// types.
func (s *connection) columnsOf(ctx context.Context, statement string, args map[string]any) ([]result.Column, error) {
	ctx, clock := s.clocked(ctx)
	defer clock.end()
	if _, err := s.parameters(ctx, statement); err != nil {
		return nil, clock.met(err) // with the place in the user's text
	}
	bound, err := s.bind(ctx, statement, args)
	return s.describe(ctx, statement, bound), clock.met(err)
}

func handOver(ctx context.Context, path, folder string, redact func(text string, isJSON bool) string, columns []result.Column, records array.RecordReader, use func(*Handed) error) (err error) {
	spill := store.NewSpill(path)
	db, conn, err := openMemory(context.WithoutCancel(ctx), spill.Folder, 0)
	if err != nil {
		return errors.Join(err, spill.Close())
	}
	defer func() { err = cmp.Or(err, conn.Close(), db.Close(), spill.Close()) }()
	if _, err := conn.ExecContext(ctx, onlyIn(folder)); err != nil {
		return err
	}
	rows := &lent{RecordReader: records}
	release, err := viewOf(conn, rows, handedView)
	if err != nil {
		return err
	}
	defer release()
	err = use(&Handed{Columns: columns, conn: conn, redact: redact})
	return cmp.Or(records.Err(), err)
}

// onlyIn returns settings that confine DuckDB to the files of a folder and lock all
// settings.
func onlyIn(folder string) string {
	return strings.Join([]string{
		"SET memory_limit = '500 MB'", "SET allow_community_extensions = false", "SET allow_persistent_secrets = false",
		"SET allowed_directories = [" + sqltext.Literal(folder) + "]", "SET enable_external_access = false", "SET lock_configuration = true",
	}, "; ")
}

// lent is a record reader that is released by its owner only.
type lent struct{ array.RecordReader }

// Retain does nothing.
func (*lent) Retain() {}

// Release does nothing.
func (*lent) Release() {}

// viewOf makes a view of records in the connection's memory database, until release is
// called.
func viewOf(conn *sql.Conn, records array.RecordReader, name string) (release func(), err error) {
	err = conn.Raw(func(c any) error {
		a, err := duckdb.NewArrowFromConn(c.(driver.Conn))
		if err == nil {
			release, err = a.RegisterView(records, name)
		}
		return err
	})
	return release, err
}

// From returns the SQL of the rows. The rows can be read once. The columns are named
// c0, c1 … and have the types of the query.
func (h *Handed) From() string {
	return sandbox.Selection("FROM "+handedView, h.Columns, func(name, duckType string) string {
		return sandbox.CastFromArrow(name, duckType) + " AS " + name
	})
}

// Exec runs a statement of hindsql's own.
func (h *Handed) Exec(ctx context.Context, statement string) error {
	if _, err := h.conn.ExecContext(ctx, statement); err != nil {
		return sqlError(ctx, err)
	}
	return nil
}

// Clean returns a text with its secrets replaced, if the Store replaces secrets in
// rows.
func (h *Handed) Clean(text string) string {
	if h.redact == nil {
		return text
	}
	return h.redact(text, false)
}

// IsSafe reports whether the Store runs SQL of other people, see [Safe].
func (st *Store) IsSafe() bool {
	_, err := st.kind.open()
	return err != nil
}

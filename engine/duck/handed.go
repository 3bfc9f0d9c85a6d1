package duck

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"strings"

	"github.com/apache/arrow-go/v18/arrow/array"

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

// Hand runs a query and passes its rows to visit, for a second DuckDB to read. Values of
// types that Arrow lacks are texts. The columns have the query's own names and types.
func (s *Conn) Hand(ctx context.Context, p sqltext.Statement, args map[string]any, visit func([]result.Column, array.RecordReader) error) error {
	return s.statement(ctx, p, args, func(statement string) error {
		columns, err := s.columnsOf(ctx, statement, args)
		if err != nil {
			return err
		}
		return s.arrow(ctx, sandbox.CastColumns(statement, columns, sandbox.CastForArrow), args, func(r array.RecordReader) error { return visit(columns, r) })
	})
}

// columnsOf returns a query's columns with DuckDB's types. Arrow lacks some of the
// types.
func (s *Conn) columnsOf(ctx context.Context, statement string, args map[string]any) ([]result.Column, error) {
	ctx, clock := s.clocked(ctx)
	defer clock.end()
	if _, err := s.Parameters(ctx, statement); err != nil {
		return nil, clock.asLimit(err) // with the place in the user's text
	}
	bound, err := s.Bind(ctx, statement, args)
	return s.describe(ctx, statement, bound), clock.asLimit(err)
}

// HandOver starts a separate DuckDB with records and calls use with it. The DuckDB runs no
// SQL of other people, so it may write a file into folder. Its own data lies beside the
// store at path. redact replaces secrets in texts; nil if it isn't asked.
func HandOver(ctx context.Context, path, folder string, redact func(text string, isJSON bool) string, columns []result.Column, records array.RecordReader, use func(*Handed) error) (err error) {
	spill := store.NewSpill(path)
	db, conn, err := OpenMemory(context.WithoutCancel(ctx), spill.Folder, 0)
	if err != nil {
		return errors.Join(err, spill.Close())
	}
	defer func() { err = cmp.Or(err, conn.Close(), db.Close(), spill.Close()) }()
	if _, err := conn.ExecContext(ctx, confineTo(folder)); err != nil {
		return err
	}
	rows := &unreleased{RecordReader: records}
	release, err := viewOf(conn, rows, handedView)
	if err != nil {
		return err
	}
	defer release()
	err = use(&Handed{Columns: columns, conn: conn, redact: redact})
	return cmp.Or(records.Err(), err)
}

// confineTo returns settings that confine DuckDB to the files of a folder and lock all
// settings.
func confineTo(folder string) string {
	return strings.Join([]string{
		"SET memory_limit = '500 MB'", "SET allow_community_extensions = false", "SET allow_persistent_secrets = false",
		"SET allowed_directories = [" + sqltext.Literal(folder) + "]", "SET enable_external_access = false", "SET lock_configuration = true",
	}, "; ")
}

// From returns the SQL of the rows. The rows can be read once. The columns are named
// c0, c1 … and have the types of the query.
func (h *Handed) From() string {
	return sandbox.SelectColumns("FROM "+handedView, h.Columns, func(name, duckType string) string {
		return sandbox.CastFromArrow(name, duckType) + " AS " + name
	})
}

// Exec runs a statement of hindsql's own.
func (h *Handed) Exec(ctx context.Context, statement string) error {
	if _, err := h.conn.ExecContext(ctx, statement); err != nil {
		return ErrorOf(ctx, err)
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

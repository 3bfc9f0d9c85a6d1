package engine

import (
	"context"
	"fmt"
	"io"
	"strings"

	"hindsql/engine/sqlerror"
	"hindsql/internal/result"
	"hindsql/internal/sqltext"
	"hindsql/tables"
)

// StoreSchema is the schema of the tables with all their rows, for SQL of a [Reading].
// Users query views of these tables.
const StoreSchema = "store." + tables.Schema

// StoredView returns the full name of a view in the store.
func StoredView(v *tables.Table) string {
	if strings.HasPrefix(v.Name, tables.WithCopies) {
		return "store." + v.Name
	}
	return "store.main." + v.Name
}

// Hostname returns the name of this machine, the value of the host columns.
func (st *Store) Hostname() string { return st.settings.get().Hostname }

// Machine returns the id of this machine, the value of the machine columns.
func (st *Store) Machine() string { return st.settings.get().machine() }

// Each calls visit for each row of a query. The query may read files but none of the
// store's tables. It runs beside the sessions' statements.
func (st *Store) Each(ctx context.Context, query string, visit func(scan func(...any) error) error) error {
	in, err := st.kind.open()
	if err != nil {
		return err
	}
	return in.each(ctx, query, visit)
}

// Reading is a session in which all statements see the same state of the store.
type Reading struct{ s *connection }

// Read calls use, and keeps the store in one state meanwhile.
func (s *Session) Read(ctx context.Context, use func(*Reading) error) error {
	own, err := s.in.own()
	if err != nil {
		return err
	}
	return own.readBy(ctx, own.hold, use)
}

// ReadStored is Read for statements that name tables only by [StoreSchema] and
// [StoredView]. It saves the ten milliseconds of making the users' names.
func (s *Session) ReadStored(ctx context.Context, use func(*Reading) error) error {
	own, err := s.in.own()
	if err != nil {
		return err
	}
	return own.readBy(ctx, own.holdBare, use)
}

func (s *connection) readBy(ctx context.Context, hold func(context.Context) error, use func(*Reading) error) error {
	if err := s.takeBy(ctx, hold); err != nil {
		return err
	}
	defer s.give(ctx)
	return s.in.note(use(&Reading{s}))
}

// Exec runs a statement. An SQL error is an [*Error].
func (r *Reading) Exec(ctx context.Context, statement string) error {
	if err := r.s.exec(ctx, statement); err != nil {
		return sqlError(ctx, err)
	}
	return nil
}

// Each calls visit for each row of a query.
func (r *Reading) Each(ctx context.Context, query string, visit func(scan func(...any) error) error) error {
	return r.s.each(ctx, query, visit)
}

// Keep runs a user's query once, stores the result in a temporary table, and returns
// the columns. name is the query's name in errors.
func (r *Reading) Keep(ctx context.Context, table, name, query string, args map[string]any) ([]result.Column, error) {
	pieces := sqltext.Statements(query)
	if len(pieces) != 1 || !selects.begin(pieces[0].Text) {
		return nil, fmt.Errorf("%s: one statement that gives rows is exported", name)
	}
	if _, err := r.s.parameters(ctx, pieces[0].Placed()); err != nil {
		return nil, err // with the lines as the user wrote them
	}
	bound, err := r.s.bind(ctx, pieces[0].Text, args)
	if err != nil {
		return nil, err
	}
	if _, err := r.s.conn.ExecContext(ctx, fmt.Sprintf("CREATE OR REPLACE TEMP TABLE %s AS\n%s", table, pieces[0].Placed()), bound...); err != nil {
		return nil, sqlerror.MoveUp(sqlError(ctx, err), 1)
	}
	return r.s.describe(ctx, "FROM "+table, nil), nil
}

// OpenLog opens a log of this machine for reading only. Like its agent's reader,
// OpenLog unpacks a compressed log. The error is fs.ErrNotExist if the log is gone.
func (st *Store) OpenLog(agent, path string) (io.ReadCloser, error) {
	for _, r := range st.settings.get().Readers {
		if r.Agent == agent {
			return st.disks.linesDog().Open(r, path)
		}
	}
	return nil, fmt.Errorf("%s: no reader of %s", path, agent)
}

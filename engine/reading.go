package engine

import (
	"context"
	"fmt"
	"io"
	"strings"

	"hindsql/internal/result"
	"hindsql/internal/sqltext"
	"hindsql/tables"
)

// StoreSchema is where SQL of a [Reading] finds the tables with all their rows;
// users query views over them.
const StoreSchema = "store." + tables.Schema

// StoredView is the whole name of a view that the store holds.
func StoredView(v *tables.Table) string {
	if strings.HasPrefix(v.Name, tables.WithCopies) {
		return "store." + v.Name
	}
	return "store.main." + v.Name
}

// Hostname is the name of this machine, as the host columns have it.
func (st *Store) Hostname() string { return st.settings.get().Hostname }

// Machine is the id of this machine, as the machine columns have it.
func (st *Store) Machine() string { return st.settings.get().machine() }

// Each calls visit for each row of a query that reads files, and none of the
// store's tables. It runs beside the sessions' statements.
func (st *Store) Each(ctx context.Context, query string, visit func(scan func(...any) error) error) error {
	in, err := st.kind.open()
	if err != nil {
		return err
	}
	return in.each(ctx, query, visit)
}

// Reading is a session whose statements all see one state of the store.
type Reading struct{ s *connection }

// Read keeps the store in one state while use runs.
func (s *Session) Read(ctx context.Context, use func(*Reading) error) error {
	own, err := s.in.own()
	if err != nil {
		return err
	}
	return own.readBy(ctx, own.hold, use)
}

// ReadStored is Read for statements that name tables by [StoreSchema] and
// [StoredView] alone. To make the names that users have takes ten milliseconds.
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
	return use(&Reading{s})
}

// Exec runs a statement. An error of its SQL is an [*Error].
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

// Keep runs a query of the user's once, puts its result into a temporary table,
// and gives the columns. name is what errors call the query.
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
		return nil, moveUp(sqlError(ctx, err), 1)
	}
	return r.s.describe(ctx, "FROM "+table, nil), nil
}

// OpenLog opens a log of this machine as its agent's reader does: what is
// compressed is unpacked. It is read and never written; the error of one that is
// gone is fs.ErrNotExist.
func (st *Store) OpenLog(agent, path string) (io.ReadCloser, error) {
	for _, r := range st.settings.get().Readers {
		if r.Agent == agent {
			return st.disks.linesDog().Open(r, path)
		}
	}
	return nil, fmt.Errorf("%s: no reader of %s", path, agent)
}

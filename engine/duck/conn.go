package duck

import (
	"context"
	"database/sql"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/apache/arrow-go/v18/arrow/array"

	"hindsql/engine/complete"
	"hindsql/engine/sqlerror"
	"hindsql/engine/store"
	"hindsql/internal/result"
	"hindsql/internal/sqltext"
)

// Rules bound other people's statements on a connection. Package confined has them.
type Rules interface {
	// Check returns an error for a statement that may not run, without running it.
	Check(ctx context.Context, conn *sql.Conn, p sqltext.Statement) error
	// CheckRows returns an error for a query whose rows have to come first.
	CheckRows(ctx context.Context, query string, args map[string]any) error
	// Time is the bound of a statement; zero for none.
	Time() time.Duration
}

// Conn runs the statements of a session, one after another.
type Conn struct {
	db            *DB
	conn          *sql.Conn
	syncedAt      func() time.Time
	location      *time.Location
	busy          store.Gate  // held while a statement runs
	holding       bool        // the session holds the store, for a statement or the user's transaction
	inTransaction atomic.Bool // the user's transaction is open and holds the store
	placed        bool        // the search path names hindsql's schemas
	epoch         int         // of the DuckDB, see DB.epoch
	rules         Rules       // nil for the user's own SQL
	words         *complete.Completer
}

// InTransaction reports whether the user's transaction is open.
func (s *Conn) InTransaction() bool { return s.inTransaction.Load() }

// Close ends the session and drops its temporary tables, variables and settings.
func (s *Conn) Close() error {
	s.db.sessions.Delete(s)
	var err error
	if s.conn != nil {
		err = s.conn.Close()
	}
	if s.db.broken.Load() {
		err = nil // the statement that broke DuckDB gave the reason
	}
	if s.holding {
		s.holding = false
		s.db.Release(context.Background())
	}
	return err
}

// CloseWhenIdle is Close after the running statement has ended.
func (s *Conn) CloseWhenIdle() error {
	if err := s.busy.Enter(context.Background()); err != nil {
		return err
	}
	return s.Close()
}

// check refuses a statement that the rules don't allow.
func (s *Conn) check(ctx context.Context, p sqltext.Statement) error {
	if s.rules == nil {
		return nil
	}
	return s.rules.Check(ctx, s.conn, p)
}

// checkRows refuses a query whose rows have to come first.
func (s *Conn) checkRows(ctx context.Context, query string, args map[string]any) error {
	if s.rules == nil {
		return nil
	}
	return s.rules.CheckRows(ctx, query, args)
}

// enter reserves the session for the caller and makes the store readable, until leave.
func (s *Conn) enter(ctx context.Context) error { return s.enterAt(ctx, Named) }

func (s *Conn) enterAt(ctx context.Context, level Level) error {
	if err := s.busy.Enter(ctx); err != nil {
		return err
	}
	err := s.acquire(ctx, level)
	if err != nil {
		s.busy.Leave()
	}
	return err
}

// acquire makes the store readable for the session, with hindsql's names if level is Named.
func (s *Conn) acquire(ctx context.Context, level Level) error {
	if err := s.db.acquireFor(ctx, s, level); err != nil || s.placed || level != Named {
		return err
	}
	err := s.exec(context.WithoutCancel(ctx), NamesPath) // which no statement has changed yet
	if s.placed = err == nil; err != nil {
		s.release(ctx)
	}
	return err
}

// leave ends what enter began.
func (s *Conn) leave(ctx context.Context) {
	s.release(ctx)
	s.busy.Leave()
}

// release releases the store. While the user's transaction is open, DuckDB would refuse
// to detach the store, so release keeps the store.
func (s *Conn) release(ctx context.Context) {
	if s.holding && !s.inTransaction.Load() {
		s.holding = false
		s.db.Release(ctx)
	}
}

func (s *Conn) exec(ctx context.Context, statement string) error {
	_, err := s.conn.ExecContext(ctx, statement)
	return s.db.checkBroken(err)
}

// each calls use for each row of a query.
func (s *Conn) each(ctx context.Context, query string, use func(scan func(...any) error) error, bound ...any) error {
	rows, err := s.conn.QueryContext(ctx, query, bound...)
	if err != nil {
		return s.db.checkBroken(ErrorOf(ctx, err))
	}
	return s.db.checkBroken(EachRow(rows, use))
}

// Reading is a session in which all statements see the same state of the store.
type Reading struct{ s *Conn }

// Read calls use, and keeps the store in one state meanwhile. If level is Checked,
// statements name tables only by [StoreSchema] and [StoredView].
func (s *Conn) Read(ctx context.Context, level Level, use func(*Reading) error) error {
	if err := s.enterAt(ctx, level); err != nil {
		return err
	}
	defer s.leave(ctx)
	return s.db.checkBroken(use(&Reading{s}))
}

// Exec runs a statement. An SQL error is an [sqlerror.Error].
func (r *Reading) Exec(ctx context.Context, statement string) error {
	if err := r.s.exec(ctx, statement); err != nil {
		return ErrorOf(ctx, err)
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
	p, err := OneQuery(name, query)
	if err != nil {
		return nil, err
	}
	if _, err := r.s.Parameters(ctx, p.Placed()); err != nil {
		return nil, err // with the lines as the user wrote them
	}
	bound, err := r.s.Bind(ctx, p.Text, args)
	if err != nil {
		return nil, err
	}
	if _, err := r.s.conn.ExecContext(ctx, fmt.Sprintf("CREATE OR REPLACE TEMP TABLE %s AS\n%s", table, p.Placed()), bound...); err != nil {
		return nil, sqlerror.ShiftLines(ErrorOf(ctx, err), 1)
	}
	return r.s.describe(ctx, "FROM "+table, nil), nil
}

// Records runs a query and passes visit its rows as Arrow record batches.
func (r *Reading) Records(ctx context.Context, query string, visit func(array.RecordReader) error) error {
	return r.s.records(ctx, query, nil, visit)
}

// newCompleter returns a completer for a session. Under rules, a look-up's query may have to
// wait for rows.
func newCompleter(s *Conn) *complete.Completer {
	each := func(ctx context.Context, query string, use func(scan func(...any) error) error) error {
		if err := s.checkRows(ctx, query, nil); err != nil {
			return err
		}
		return s.each(ctx, query, use)
	}
	describe := func(ctx context.Context, query string) []string { return columnNames(ctx, s, query) }
	return complete.New(complete.Source{Each: each, Describe: describe, Detach: s.release, SyncedAt: s.syncedAt, Schema: Names})
}

// columnNames returns the columns that a query would have; nil if the query is wrong or
// not allowed.
func columnNames(ctx context.Context, s *Conn, query string) (names []string) {
	if s.check(ctx, sqltext.Statement{Text: query}) != nil {
		return nil
	}
	for _, c := range s.describe(ctx, query, nil) {
		names = append(names, c.Name)
	}
	return names
}

// Complete returns the words that may stand at a byte position of SQL text.
func (s *Conn) Complete(ctx context.Context, text string, at int) (complete.Words, error) {
	if err := s.enter(ctx); err != nil {
		return complete.Words{}, err
	}
	defer s.leave(ctx)
	return s.words.Complete(ctx, text, at)
}

// Values returns values of a column as text; nil if the lookup takes long, or if the store
// can't be read.
func (s *Conn) Values(ctx context.Context, table, column string) []string {
	if err := s.enter(ctx); err != nil {
		return nil
	}
	defer s.leave(ctx)
	return s.words.Values(ctx, table, column)
}

package engine

import (
	"context"
	"database/sql"
	"fmt"
	"sync/atomic"
	"time"

	"hindsql/engine/complete"
	"hindsql/engine/store"
)

// Session is one caller's connection to a [Store]. Its temporary tables, variables,
// settings and transaction end with the Session. Other tables that its statements
// create are visible to all sessions of the Store, and end with the Store. If several
// goroutines use a Session, their statements run one after another.
type Session struct {
	store *Store
	in    place
}

// connection runs the statements of a session in this process.
type connection struct {
	in       *instance
	conn     *sql.Conn
	syncedAt func() time.Time
	location *time.Location
	busy     store.Gate  // held while a statement runs
	holding  bool        // the session holds the store, for a statement or the user's transaction
	began    atomic.Bool // the user's transaction is open and holds the store
	placed   bool        // the search path names hindsql's schemas
	epoch    int         // of the DuckDB, see instance.epoch
	rules    *inside     // rules of a worker; nil for the user's own SQL
	words    *complete.Completer
	lacking  needs // columns that a worker lacks for a look-up
}

func location(timezone string) (*time.Location, error) {
	if timezone == "" {
		return time.Local, nil
	}
	l, err := time.LoadLocation(timezone)
	if err != nil {
		return nil, fmt.Errorf("time zone %q: unknown; use an IANA name such as Europe/Berlin", timezone)
	}
	return l, nil
}

// Session starts a session in the Store's time zone.
func (st *Store) Session(ctx context.Context) (*Session, error) {
	zone, err := location(st.settings.get().Timezone)
	if err != nil {
		return nil, err
	}
	in, err := st.kind.begin(ctx, st, zone)
	if err != nil {
		return nil, err
	}
	return &Session{st, in}, nil
}

// Store returns the Store of the session.
func (s *Session) Store() *Store { return s.store }

// Close ends the session and drops its temporary tables, variables and settings.
func (s *Session) Close() error { return s.in.close() }

func (s *connection) close() error {
	s.in.sessions.Delete(s)
	var err error
	if s.conn != nil {
		err = s.conn.Close()
	}
	if s.in.broken.Load() {
		err = nil // the statement that broke DuckDB gave the reason
	}
	if s.holding {
		s.holding = false
		s.in.release(context.Background())
	}
	return err
}

func (s *connection) own() (*connection, error) { return s, nil }

func (s *connection) clean() func(text string, isJSON bool) string { return nil }

// take reserves the session for the caller and makes the store readable, until give.
func (s *connection) take(ctx context.Context) error { return s.takeBy(ctx, s.hold) }

func (s *connection) takeBy(ctx context.Context, hold func(context.Context) error) error {
	if err := s.busy.Enter(ctx); err != nil {
		return err
	}
	err := hold(ctx)
	if err != nil {
		s.busy.Leave()
	}
	return err
}

func (s *connection) hold(ctx context.Context) error {
	if err := s.in.holdFor(ctx, s, s.in.acquire); err != nil || s.placed {
		return err
	}
	err := s.exec(context.WithoutCancel(ctx), namesPath) // which no statement has changed yet
	if s.placed = err == nil; err != nil {
		s.letGo(ctx)
	}
	return err
}

// holdBare is hold for callers that don't need hindsql's names.
func (s *connection) holdBare(ctx context.Context) error {
	return s.in.holdFor(ctx, s, s.in.acquireBare)
}

// give ends what take began.
func (s *connection) give(ctx context.Context) {
	s.letGo(ctx)
	s.busy.Leave()
}

// letGo releases the store. While the user's transaction is open, DuckDB would refuse
// to detach the store, so letGo keeps the store.
func (s *connection) letGo(ctx context.Context) {
	if s.holding && !s.began.Load() {
		s.holding = false
		s.in.release(ctx)
	}
}

func (s *connection) exec(ctx context.Context, statement string) error {
	_, err := s.conn.ExecContext(ctx, statement)
	return s.in.note(err)
}

// each calls use for each row of a query.
func (s *connection) each(ctx context.Context, query string, use func(scan func(...any) error) error) error {
	rows, err := s.conn.QueryContext(ctx, query)
	if err != nil {
		return s.in.note(sqlError(ctx, err))
	}
	return s.in.note(eachRow(rows, use))
}

// Sync calls [Store.Sync]. While the user's transaction is open, Sync does nothing: the
// tables stay as they were.
func (s *Session) Sync(ctx context.Context, o SyncOptions) (SyncReport, error) {
	if own, err := s.in.own(); err == nil && own.began.Load() {
		return SyncReport{}, nil
	}
	return s.store.Sync(ctx, o)
}

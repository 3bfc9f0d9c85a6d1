package engine

import (
	"context"
	"database/sql"
	"fmt"
	"sync/atomic"
	"time"

	"hindsql/tables"
)

// Session is one caller's connection to a [Store]. Its temporary tables,
// variables, settings and transaction live as long as it does; other tables
// that its statements create are seen by all sessions of the Store, and end with
// that. Called by several goroutines, it runs one statement after the other.
type Session struct {
	store    *Store
	conn     *sql.Conn // nil where the session is remote
	remote   *remote   // of a safe Store's session; else nil
	location *time.Location
	busy     gate        // inside, a statement runs
	holding  bool        // the store, for a statement or the user's transaction
	began    atomic.Bool // the user began a transaction, which holds the store
	placed   bool        // its search path names ours

	// What completion found, for the next time: until a statement runs columns by
	// table and by a query's text, and values by table and column until a sync.
	tableColumns map[string][]string
	described    map[string][]string
	columnValues map[string][]string
	valuesAt     time.Time
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
	zone := st.settings().Timezone
	local, err := location(zone)
	if err != nil {
		return nil, err
	}
	if st.safe != nil {
		return &Session{store: st, remote: &remote{st.safe, sessionsBegun.Add(1)}, location: local, busy: newGate()}, nil
	}
	conn, err := st.db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	s := &Session{store: st, conn: conn, location: local, busy: newGate()}
	if zone != "" {
		if err := s.exec(ctx, "SET TimeZone = "+tables.Quote(zone)); err != nil {
			s.Close()
			return nil, err
		}
	}
	return s, nil
}

// Store is what the session is of.
func (s *Session) Store() *Store { return s.store }

// Close ends the session, and drops what only lived in it.
func (s *Session) Close() error {
	if s.remote != nil {
		s.remote.leave()
		return nil
	}
	err := s.conn.Close()
	if s.holding {
		s.holding = false
		s.store.release(context.Background())
	}
	return err
}

// take makes the session the caller's, and its store readable, until give.
func (s *Session) take(ctx context.Context) error { return s.takeBy(ctx, s.hold) }

func (s *Session) takeBy(ctx context.Context, hold func(context.Context) error) error {
	if err := s.busy.enter(ctx); err != nil {
		return err
	}
	err := hold(ctx)
	if err != nil {
		s.busy.leave()
	}
	return err
}

func (s *Session) hold(ctx context.Context) error {
	if s.holding {
		return nil
	}
	if err := s.store.acquire(ctx); err != nil {
		return err
	}
	s.holding = true
	if s.placed {
		return nil
	}
	err := s.placeNames(context.WithoutCancel(ctx))
	if s.placed = err == nil; err != nil {
		s.letGo(ctx)
	}
	return err
}

// holdBare is hold for who needs no names of ours.
func (s *Session) holdBare(ctx context.Context) error {
	if s.holding {
		return nil
	}
	err := s.store.acquireBare(ctx)
	s.holding = err == nil
	return err
}

// give ends what take began.
func (s *Session) give(ctx context.Context) {
	s.letGo(ctx)
	s.busy.leave()
}

// letGo lets go of the store. Inside a transaction that the user began DuckDB
// would refuse: the store stays until that ends.
func (s *Session) letGo(ctx context.Context) {
	if s.holding && !s.began.Load() {
		s.holding = false
		s.store.release(ctx)
	}
}

func (s *Session) exec(ctx context.Context, statement string) error {
	_, err := s.conn.ExecContext(ctx, statement)
	return err
}

// each calls use for each row of a query.
func (s *Session) each(ctx context.Context, query string, use func(scan func(...any) error) error) error {
	rows, err := s.conn.QueryContext(ctx, query)
	if err != nil {
		return sqlError(ctx, err)
	}
	return eachRow(rows, use)
}

// Sync is the Store's. In a transaction that the user began it does nothing:
// there the tables stay as they were.
func (s *Session) Sync(ctx context.Context, o SyncOptions) (SyncReport, error) {
	if s.began.Load() {
		return SyncReport{}, nil
	}
	return s.store.Sync(ctx, o)
}

// Package ask is the one way from a statement to an answer.
//
// In: where rows are (the user's store, a sandbox over it, a lake) and a
// statement: SQL, or a saved query with values. Out: an [Answer]: columns, rows as
// they come, how old they are and why, and what else should be known, as values
// of type [Notice]. A face opens a [Source], asks in a [Session], and words what
// is said: the package writes nothing, and knows no flag, no terminal and no page.
package ask

import (
	"cmp"
	"context"
	"sync"

	"hindsql/engine"
	"hindsql/queries"
)

// Source is where answers come from: the user's own store, a sandbox over its
// rows, or a lake. Safe for use by many goroutines.
type Source struct {
	store   *engine.Store
	queries func() ([]*queries.Query, error)
	home    string // shown as ~; empty when there is none
	lake    bool

	mutex  sync.Mutex
	behind string // why the rows were old after the last sync; empty where they weren't
}

// Open gives the Source of a configuration. Saved lists the saved queries, in the
// order of their names, together with the error of the user's files that are none;
// nil for no saved queries. Nothing is read yet. The error is the engine's.
func Open(ctx context.Context, c engine.Config, saved func() ([]*queries.Query, error)) (*Source, error) {
	store, err := engine.Open(ctx, c)
	if err != nil {
		return nil, err
	}
	return &Source{store: store, queries: saved, home: c.Host.Home, lake: c.Lake != nil}, nil
}

// Close gives the Source up. Sessions end with it.
func (s *Source) Close() error { return s.store.Close() }

// Store is the engine's, for what manages a store rather than asks it: push, pull,
// prune, and the marks by which a face sees that rows changed.
func (s *Source) Store() *engine.Store { return s.store }

// Session begins a session. Its temporary tables, variables and settings live as
// long as it does.
func (s *Source) Session(ctx context.Context) (*Session, error) {
	session, err := s.store.Session(ctx)
	if err != nil {
		return nil, err
	}
	return &Session{source: s, engine: session}, nil
}

// Run answers one statement in a session of its own, after a sync. See
// [Session.Run].
func (s *Source) Run(ctx context.Context, q Statement, use func(*Answer) error) error {
	session, err := s.Session(ctx)
	if err != nil {
		return err
	}
	if _, err := session.Sync(ctx, engine.SyncOptions{}); err != nil {
		return cmp.Or(err, session.Close())
	}
	return cmp.Or(session.Run(ctx, q, use), session.Close())
}

// Sync loads what changed in the logs. Where rows lie in a lake there are none, and
// nothing is done.
func (s *Source) Sync(ctx context.Context, o engine.SyncOptions) (Synced, error) {
	if s.lake {
		return Synced{}, nil
	}
	report, err := s.store.Sync(ctx, o)
	return s.synced(report, err), err
}

func (s *Source) synced(report engine.SyncReport, err error) Synced {
	to := Synced{SyncReport: report, Notices: noticesOf(&report)}
	if err == nil {
		to.Behind = behind(&report)
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.behind = to.Behind
	if to.Behind != "" {
		to.Notices = append(to.Notices, Notice{Kind: Stale, Subject: to.Behind, At: s.store.SyncedAt()})
	}
	return to
}

// Behind says why rows may be old: why the last sync couldn't load all that the
// logs hold. Empty where it could, and before the first.
func (s *Source) Behind() string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.behind
}

// Synced is what a sync did, and what is to be said of that.
type Synced struct {
	engine.SyncReport
	Behind  string // why not all that the logs hold is loaded; empty where it is
	Notices []Notice
}

// behind is the reason in words.
func behind(r *engine.SyncReport) string {
	switch {
	case r.Held != nil:
		return r.Held.Error()
	case r.Busy:
		return "another process is loading"
	case r.Unwritable != nil:
		return r.Unwritable.Error()
	}
	return ""
}

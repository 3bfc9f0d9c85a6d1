// Package ask runs every statement of hindsql's faces and returns the answer. The faces
// are the command line, the prompt, the web pages and the MCP server.
//
// The input is the place of the rows (the user's store, a sandbox over it, or a lake)
// and a statement: SQL, or a saved query with values. The output is an [Answer]:
// columns, a stream of rows, the time of the last sync, why rows may be old, and
// [Notice] values. A face opens a [Source], asks in a [Session], and words the
// messages. The package writes no output, and knows no flags, terminal or pages.
package ask

import (
	"cmp"
	"context"
	"sync"

	"hindsql/engine"
	"hindsql/queries"
)

// Source is where answers come from: the user's own store, a sandbox over its rows, or
// a lake. Safe for use by many goroutines.
type Source struct {
	store   *engine.Store
	queries func() ([]*queries.Query, error)
	home    string // shown as ~; empty if unknown
	lake    bool

	mutex  sync.Mutex
	behind string // why the rows were old after the last sync; empty if up to date
}

// Open returns the Source for a configuration. saved lists the saved queries by name,
// and returns an error for user files that aren't valid queries. A nil saved means no
// saved queries. Open reads no rows. Its error is the engine's.
func Open(ctx context.Context, c engine.Config, saved func() ([]*queries.Query, error)) (*Source, error) {
	if saved != nil {
		c.Queries = func(own bool) [][]any {
			list, _ := queries.All("") // those built in
			if own {
				list, _ = saved() // doctor reports errors in the user's files
			}
			return List(c.Host.Home, list).Rows
		}
	}
	store, err := engine.Open(ctx, c)
	if err != nil {
		return nil, err
	}
	return &Source{store: store, queries: saved, home: c.Host.Home, lake: c.Lake != nil}, nil
}

// Close closes the Source and its sessions.
func (s *Source) Close() error { return s.store.Close() }

// Store returns the engine's store, for callers that do more than ask: push, pull,
// prune, and faces that watch for changed rows.
func (s *Source) Store() *engine.Store { return s.store }

// Prices returns the name of the list by which costs are estimated, such as "prices of
// 2026-11"; empty for a lake, whose machines have their own.
func (s *Source) Prices() string {
	if s.lake {
		return ""
	}
	return s.store.PricesName()
}

// Session begins a session. Its temporary tables, variables and settings are dropped at
// its end.
func (s *Source) Session(ctx context.Context) (*Session, error) {
	session, err := s.store.Session(ctx)
	if err != nil {
		return nil, err
	}
	return &Session{source: s, engine: session}, nil
}

// Run syncs, then answers one statement in a session of its own. See [Session.Run].
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

// Sync loads changes in the logs. With a lake, Sync does nothing.
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

// Behind says why the last sync couldn't load everything in the logs. It returns an
// empty string if the sync loaded everything, and before the first sync.
func (s *Source) Behind() string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.behind
}

// Synced is a sync's report and notices.
type Synced struct {
	engine.SyncReport
	Behind  string // why the sync didn't load everything; empty if it did
	Notices []Notice
}

// behind returns why rows may be old after a sync; empty if the sync loaded everything.
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

// Package ask runs every statement of hindsql's faces and returns the answer. The faces
// are the command line, the prompt, the web pages and the MCP server.
//
// The input is the place of the rows (the user's store, a sandbox over it, or a lake)
// and a statement: SQL, or a saved query with values. The output is an [Answer]:
// columns and a stream of rows. [Notice] values say why rows may be old or missing. A
// face opens a [Source], asks in a [Session], and words the messages. The package
// writes no output, and knows no flags, terminal or pages.
package ask

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"hindsql/engine"
	"hindsql/engine/export"
	"hindsql/internal/lists"
	"hindsql/queries"
)

// Source is where answers come from: the user's own store, a sandbox over its rows, or
// a lake. Safe for use by many goroutines.
type Source struct {
	store   *engine.Store
	queries func() ([]*queries.Query, error)
	home    string // shown as ~; empty if unknown
	lake    bool
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

// Sync loads changes in the logs. With a lake, Sync does nothing.
func (s *Source) Sync(ctx context.Context, o engine.SyncOptions) (Synced, error) {
	if s.lake {
		return Synced{}, nil
	}
	report, err := s.store.Sync(ctx, o)
	return s.synced(report, err), err
}

// synced returns the warnings of a sync as notices. The caller itself words the other
// results: the reason for old rows, and repairs of a damaged store.
func (s *Source) synced(report engine.SyncReport, err error) Synced {
	to := Synced{SyncReport: report, Notices: lists.Map(report.Warnings, func(w error) Notice { return Notice{Kind: Warning, Subject: w.Error()} })}
	if err == nil {
		to.Behind = behind(&report)
	}
	if to.Behind != "" {
		to.Notices = append(to.Notices, Notice{Kind: Stale, Subject: to.Behind, At: s.store.SyncedAt()})
	}
	return to
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

// Kind is the kind of a [Notice].
type Kind int

// The kinds of notices.
const (
	Warning   Kind = iota // an unreadable folder
	Stale                 // rows may be old
	Empty                 // no log was ever loaded
	Unmatched             // a parameter's value matches nothing in the store
	Outside               // all rows are outside of the requested period
	Limited               // a limit left out rows; how many were shown
	Which                 // which session a reference such as last means
)

// Notice is a remark about an answer.
type Notice struct {
	Kind    Kind
	Subject string    // a clause without a full stop, its first letter small
	At      time.Time // for [Stale]: time of the last complete check of the logs; otherwise zero
	Next    Next      // proposed action; zero: none
}

// Next is an action proposed by a message. Each face words it differently.
type Next int

// The actions.
const (
	Nothing     Next = iota
	SeeTables        // list the tables
	SeeColumns       // list the columns of a table
	SeeQueries       // list the saved queries
	SeeSessions      // list the sessions, with their ids
	SeeProblems      // show what could not be read
	SeeQuality       // show data in the logs that this build doesn't know
	Refresh          // load changes in the logs
	TrySample        // answer from the sample
	Prune            // drop the rows of deleted logs
	OtherStore       // name another store
	WholeExport      // leave out the flag that exports only changes
)

// Words holds the command or link by which a user of the face does each action. A face
// leaves out actions that the face never proposes.
type Words map[Next]string

// Text returns the notice as a clause.
func (w Words) Text(n Notice) string {
	switch {
	case n.Kind == Stale && n.At.IsZero():
		return n.Subject + "; answering from what was loaded before"
	case n.Kind == Stale:
		return n.Subject + "; answering from what was loaded at " + n.At.Format(time.DateTime)
	case n.Next == TrySample && w[TrySample] != "":
		return n.Subject + "; try " + w[TrySample]
	}
	return n.Subject
}

// Explain returns the text of an error, with a possible next step of the user. It adds
// no step if the error or DuckDB already names one.
func (w Words) Explain(err error) string {
	if unknown, ok := errors.AsType[*NoQuery](err); ok {
		return strings.Replace(err.Error(), unknown.Error(), unknown.text(w[SeeQueries]), 1)
	}
	return err.Error() + w.next(err)
}

func (w Words) next(err error) string {
	var sql *engine.Error
	var alien *engine.NotAStore
	var damaged *engine.Damaged
	switch {
	case errors.As(err, &damaged) && damaged.IsNewer():
		return "; a newer hindsql reads it; `hindsql sync --full` sets it aside for that, and loads the logs anew"
	case errors.As(err, new(*engine.Damaged)), errors.As(err, &sql) && sql.Damaged:
		return "; `hindsql sync --full` sets the damaged store aside, loads the logs anew, and saves what else still reads"
	case errors.As(err, &sql):
		return w.nextOf(sql)
	case errors.As(err, new(*engine.OtherBuild)):
		return w.propose(Refresh, "; `%s` brings it up to date")
	case errors.As(err, &alien) && (alien.IsDuckDB || alien.Kind != ""):
		return w.propose(OtherStore, "; name another with %s")
	case errors.As(err, &alien):
		return w.propose(OtherStore, "; move it away, or name another with %s")
	case errors.As(err, new(*engine.Unwritable)):
		return w.propose(OtherStore, "; make it writable, or name another with %s")
	case errors.As(err, new(*engine.Held)):
		return w.propose(OtherStore, "; close it there, or name another with %s")
	case errors.As(err, new(*engine.Busy)):
		return "; try again"
	case errors.As(err, new(*export.OtherOptions)):
		return w.propose(WholeExport, "; leave out %s to export all anew")
	}
	return ""
}

func (w Words) nextOf(e *engine.Error) string {
	switch {
	case e.Hint != "":
		return ""
	case e.Missing == engine.MissingTable:
		return w.propose(SeeTables, "\n`%s` lists the tables")
	case e.Missing == engine.MissingColumn:
		return w.propose(SeeColumns, "\n`%s` lists the columns of a table")
	}
	return ""
}

// propose puts the face's words for an action into a clause; empty if the face has no
// words for it.
func (w Words) propose(next Next, clause string) string {
	if w[next] == "" {
		return ""
	}
	return fmt.Sprintf(clause, w[next])
}

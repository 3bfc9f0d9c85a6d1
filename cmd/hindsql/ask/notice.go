package ask

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"hindsql/engine"
	"hindsql/engine/export"
)

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

// noticesOf returns the warnings of a sync as notices. The caller itself words the
// other results of the sync: the reason for old rows, and repairs of a damaged store.
func noticesOf(r *engine.SyncReport) (list []Notice) {
	for _, w := range r.Warnings {
		list = append(list, Notice{Kind: Warning, Subject: w.Error()})
	}
	return list
}

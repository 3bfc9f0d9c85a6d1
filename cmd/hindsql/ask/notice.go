package ask

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"hindsql/engine"
	"hindsql/engine/export"
)

// Kind says what a [Notice] is about.
type Kind int

// The kinds of notices.
const (
	Warning   Kind = iota // a folder that couldn't be read
	Stale                 // rows may be old
	Empty                 // no log was ever loaded
	Unmatched             // a value that nothing in the store matches
	Outside               // all there is lies outside of the period
	Limited               // of how many rows a limit let these through
	Which                 // the session that a reference stands for
)

// Notice is what should be known beside an answer.
type Notice struct {
	Kind    Kind
	Subject string    // a clause without a full stop, its first letter small
	At      time.Time // of [Stale]: when the logs were last found to be loaded; else zero
	Next    Next      // what may be done; zero: nothing
}

// Next is what a message proposes to do. Each face has its own words for it.
type Next int

// What may be proposed.
const (
	Nothing     Next = iota
	SeeTables        // list the tables
	SeeColumns       // list the columns of a table
	SeeQueries       // list the saved queries
	SeeSessions      // list the sessions, with their ids
	SeeProblems      // show what could not be read
	SeeQuality       // show what the logs hold that this build doesn't know
	Refresh          // load what changed
	TrySample        // answer from the sample
	Prune            // drop the rows of logs that are gone
	OtherStore       // name another store
	WholeExport      // leave out what has an export write only what changed
)

// Words are what the user of a face types, or opens, for what is proposed. A face
// leaves out what it never proposes.
type Words map[Next]string

// Text is a notice in a clause.
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

// Explain gives the text of an error. It adds what to do next where neither the
// error nor DuckDB says so.
func (w Words) Explain(err error) string {
	var unknown *NoQuery
	if errors.As(err, &unknown) {
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

// propose puts a face's words into a clause; empty where it has none.
func (w Words) propose(next Next, clause string) string {
	if w[next] == "" {
		return ""
	}
	return fmt.Sprintf(clause, w[next])
}

// noticesOf are those of a sync, but for why rows are old. What was done to a
// damaged store is told by who reads the report.
func noticesOf(r *engine.SyncReport) (list []Notice) {
	for _, w := range r.Warnings {
		list = append(list, Notice{Kind: Warning, Subject: w.Error()})
	}
	return list
}

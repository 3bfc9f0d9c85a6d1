package copilot

import (
	"time"

	"hindsql/tables"
)

// clears are the facts by which a /clear or /new can be told, of which the log
// says nothing: when the session began, and when its processes ended (FORMAT.md §6).
type clears struct {
	beginning string // the line's id
	begun     time.Time
	ends      []end
}

type end struct {
	uuid string
	at   time.Time
}

func (c *clears) ended(e *event) { c.ends = append(c.ends, end{e.id, e.at}) }

// forget leaves out what was copied from the session that a fork began in.
func (c *clears) forget() { c.ends = nil }

// likely is how sure a clear is that only the times of two sessions tell.
const likely = 0.8

// mayBeClear marks the two ends of the session: where another began as this one
// ended, or this one as another did, that was a clear.
func (l *log) mayBeClear() {
	mark := func(c tables.Clear) {
		c.Trigger, c.Project, c.Evidence, c.Confidence = tables.ClearByCommand, l.main.session.Project, tables.EvidenceInferred, likely
		l.in.Emit(&c)
	}
	if l.main.session.Kind != tables.SessionMain {
		return
	}
	if l.facts.forkedFrom == "" && !l.clears.begun.IsZero() {
		mark(tables.Clear{UUID: l.clears.beginning, NextSessionID: l.id, Timestamp: l.clears.begun})
	}
	if len(l.clears.ends) == 0 { // it marks its ends all the same: there is none
		mark(tables.Clear{SessionID: l.id})
	}
	for _, e := range l.clears.ends {
		mark(tables.Clear{UUID: e.uuid, SessionID: l.id, Timestamp: e.at})
	}
}

// contextCleared takes a clear inside the session.
func (l *log) contextCleared(e *event) {
	m := e.message(tables.RoleSystem, tables.KindNotice, "the context was cleared")
	l.say(l.thread(e), m)
	l.emit(l.main, &tables.Clear{
		UUID: e.id, SessionID: l.id, NextSessionID: l.id, InSession: true, Trigger: tables.ClearByCommand,
		Timestamp: e.at, Evidence: tables.EvidenceSessionStart, Confidence: 1,
	})
}

package copilot

import (
	"time"

	"hindsql/tables"
)

// clears holds what may show a /clear or /new: when the session began, and when its
// processes ended. The log doesn't record the command itself (FORMAT.md §6).
type clears struct {
	beginning string // id of the first line
	begun     time.Time
	ends      []end
}

type end struct {
	uuid string
	at   time.Time
}

func (c *clears) ended(e *event) { c.ends = append(c.ends, end{e.id, e.at}) }

// forget drops the ends of processes that a fork copied from its parent's log.
func (c *clears) forget() { c.ends = nil }

// likely is the confidence of a clear that is inferred from the times of two sessions
// only.
const likely = 0.8

// mayBeClear emits possible clears: one at the session's beginning, and one at each end
// of a process. If another session of the project ended when this one began, or began
// when this one ended, the two times show a clear.
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
	if len(l.clears.ends) == 0 { // the links also need to know that there is no end
		mark(tables.Clear{SessionID: l.id})
	}
	for _, e := range l.clears.ends {
		mark(tables.Clear{UUID: e.uuid, SessionID: l.id, Timestamp: e.at})
	}
}

// contextCleared handles a clear inside the session.
func (l *log) contextCleared(e *event) {
	m := e.message(tables.RoleSystem, tables.KindNotice, "the context was cleared")
	l.say(l.thread(e), m)
	l.emit(l.main, &tables.Clear{
		UUID: e.id, SessionID: l.id, NextSessionID: l.id, InSession: true, Trigger: tables.ClearByCommand,
		Timestamp: e.at, Evidence: tables.EvidenceSessionStart, Confidence: 1,
	})
}

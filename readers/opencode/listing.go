package opencode

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"hindsql/readers"
	"hindsql/readers/sqlite"
	"hindsql/tables"
)

// listSessions lists the sessions of a database. It reads only indexes and the tables'
// first pages, so it is fast for a database of any size.
func listSessions(in *readers.Input) ([]readers.Part, error) {
	if !isDatabase(in.Rel) {
		return nil, nil
	}
	var l *listing
	err := sqlite.View(in, func(db *sqlite.DB) error {
		l = &listing{db: db, byID: map[string]*listed{}}
		return l.read()
	})
	if err != nil {
		return nil, err
	}
	var parts []readers.Part
	for _, s := range l.sessions {
		parts = append(parts, readers.Part{Name: s.id, Stamp: s.stamp(), Size: s.messages*512 + s.parts*1024})
	}
	return parts, nil
}

// listing is the state of listing a database's sessions.
type listing struct {
	db       *sqlite.DB
	sessions []*listed
	byID     map[string]*listed
}

// listed holds facts about a session that change when its rows change. For a fork, this
// includes messages of the session it was copied from.
type listed struct {
	id, directory     string
	created, updated  int64 // ms since 1970, as all times here
	first             int64 // time of the first message; 0 without messages
	last              int64 // time of the last change of a message or part; 0 if the session has events
	messages, parts   int64
	later             int64 // number of messages in the table of a later version
	sequence          int64 // number of the session's last event
	sequenced, isFork bool
	elsewhere         int // for a fork: number of older messages in its folder
}

func (s *listed) stamp() string {
	stamp := fmt.Sprintf("%d.%d.%d", s.updated, s.messages, s.parts)
	if s.sequenced {
		stamp += fmt.Sprintf(" e%d", s.sequence)
	} else {
		stamp += fmt.Sprintf(" t%d", s.last)
	}
	if s.isFork {
		stamp += fmt.Sprintf(" f%d", s.elsewhere)
	}
	if s.later > 0 {
		stamp += fmt.Sprintf(" l%d", s.later)
	}
	return stamp
}

func (l *listing) read() error {
	if l.db.Columns("session") == nil {
		return nil // an empty database, or another program's
	}
	return sqlite.InTurn(l.readSessions(), l.readMessages, l.readParts, l.readLater, l.readSequences, l.readLast, l.readForks)
}

func (l *listing) readSessions() error {
	columns := l.db.Select("session", "time_created", "time_updated", "directory")
	return l.db.Query(func(row *sqlite.Row) error {
		s := &listed{id: strings.Clone(row.Text(0)), directory: row.Text(3)}
		s.created, _ = row.Int(1)
		s.updated, _ = row.Int(2)
		l.sessions = append(l.sessions, s)
		l.byID[s.id] = s
		return nil
	}, "SELECT id, "+columns+" FROM session ORDER BY rowid")
}

// each calls visit with the rows of a statement and the session of each row. The
// statement's first column is the session's id. If the table doesn't exist, each does
// nothing.
func (l *listing) each(table, statement string, visit func(*listed, *sqlite.Row)) error {
	if l.db.Columns(table) == nil {
		return nil
	}
	return l.db.Query(func(row *sqlite.Row) error {
		if s := l.byID[row.Text(0)]; s != nil {
			visit(s, row)
		}
		return nil
	}, statement)
}

func (l *listing) readMessages() error {
	return l.each("message", "SELECT session_id, count(*), min(time_created) FROM message GROUP BY session_id", func(s *listed, row *sqlite.Row) {
		s.messages, _ = row.Int(1)
		s.first, _ = row.Int(2)
		s.isFork = s.first > 0 && s.first < s.created
	})
}

func (l *listing) readParts() error {
	return l.each("part", "SELECT session_id, count(*) FROM part GROUP BY session_id", func(s *listed, row *sqlite.Row) {
		s.parts, _ = row.Int(1)
	})
}

func (l *listing) readLater() error {
	return l.each(laterMessages, "SELECT session_id, count(*) FROM "+laterMessages+" GROUP BY session_id", func(s *listed, row *sqlite.Row) {
		s.later, _ = row.Int(1)
	})
}

// readSequences reads the numbers of the last events. Versions with events write an
// event for each change of a session.
func (l *listing) readSequences() error {
	return l.each("event_sequence", "SELECT aggregate_id, seq FROM event_sequence", func(s *listed, row *sqlite.Row) {
		s.sequence, s.sequenced = row.Int(1)
	})
}

// readLast reads the times of the last changes of sessions without events.
func (l *listing) readLast() error {
	if !slices.ContainsFunc(l.sessions, func(s *listed) bool { return !s.sequenced }) {
		return nil
	}
	without := ""
	if l.db.Columns("event_sequence") != nil {
		without = " WHERE session_id IN (SELECT id FROM session WHERE id NOT IN (SELECT aggregate_id FROM event_sequence))"
	}
	last := func(table string) func() error {
		return func() error {
			return l.each(table, "SELECT session_id, max(time_updated) FROM "+table+without+" GROUP BY session_id", func(s *listed, row *sqlite.Row) {
				at, _ := row.Int(1)
				s.last = max(s.last, at)
			})
		}
	}
	return sqlite.InTurn(nil, last("message"), last("part"))
}

// readForks counts, for each fork, the older messages in its folder. The number changes
// if one of them is deleted, and then the fork's copies may have lost their original.
func (l *listing) readForks() error {
	times := map[string][]int64{} // by folder
	for _, s := range l.sessions {
		if s.isFork {
			times[s.directory] = []int64{}
		}
	}
	if len(times) == 0 {
		return nil
	}
	err := l.each("message", "SELECT session_id, time_created FROM message", func(s *listed, row *sqlite.Row) {
		at, _ := row.Int(1)
		if list := times[s.directory]; list != nil && at >= s.created {
			times[s.directory] = append(list, at)
		}
	})
	for _, list := range times {
		slices.Sort(list)
	}
	for _, s := range l.sessions {
		if s.isFork {
			s.elsewhere, _ = slices.BinarySearchFunc(times[s.directory], s.created, cmp.Compare[int64])
		}
	}
	return err
}

// readTables counts tables and columns that the reader doesn't know.
func readTables(in *readers.Input) error {
	var names []string
	columns := map[string][]string{}
	strays := false
	err := sqlite.View(in, func(db *sqlite.DB) error {
		names, strays = nil, false
		err := db.Query(func(row *sqlite.Row) error {
			names = append(names, row.Text(0))
			return nil
		}, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
		for _, table := range tablesRead {
			columns[table] = db.Columns(table)
		}
		if err != nil || columns["session"] == nil || columns["message"] == nil {
			return err
		}
		return db.Query(func(*sqlite.Row) error {
			strays = true
			return nil
		}, "SELECT 1 WHERE EXISTS (SELECT 1 FROM message WHERE session_id NOT IN (SELECT id FROM session))")
	})
	if err != nil {
		return err
	}
	kinds := readers.NewKinds(in)
	for _, name := range names {
		kinds.Count("table/"+name, knownTables[name], "", time.Time{})
		if list := columns[name]; list != nil {
			kinds.RecordColumns(name, list)
		}
	}
	kinds.Emit(in.Emit)
	if strays {
		in.Emit(&tables.Problem{What: "some messages are of sessions that are not there"})
	}
	return nil
}

// tablesRead lists the tables that the reader reads, and knownTables all tables seen so
// far. Some hold secrets: account, control_account, credential, session_share.
var (
	tablesRead  = []string{"session", "message", "part", "event", "event_sequence"}
	knownTables = readers.SetOf(`session message part event event_sequence project project_directory workspace todo permission migration
		data_migration account account_state control_account credential session_share session_message session_input session_context_epoch
		__drizzle_migrations`)
)

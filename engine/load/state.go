package load

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"

	"hindsql/engine/duck"
	"hindsql/engine/forget"
	"hindsql/engine/load/moves"
	"hindsql/engine/store"
	"hindsql/readers"
	"hindsql/tables"
)

// ledger reads what an attached store records about itself: the loaded logs with their
// sizes and times, the number of rows, and whether a sync was cut off.
type ledger struct {
	at store.File
	db *duck.DB
}

// state describes the contents of the store.
type state struct {
	fitness  fitness
	loaded   []storedLog
	match    *moves.Match // relates the found files to loaded
	last     lastFiles
	unlinked bool
	rows     *rowCounts // recorded and counted numbers of rows; nil if unknown
	file     string     // see store.MarkOf
	planned  *plan      // the plan of compare; nil before compare
}

// fitness says whether the store can be brought up to date as it is, or why not.
type fitness int

const (
	fit      fitness = iota
	missing          // the file doesn't exist yet
	damaged          // the contents can't be read; only a full sync goes on
	foreign          // a build of hindsql with other tables wrote the store
	tampered         // another program changed the rows
	relisted         // the rows came in under another list of forgotten sessions
)

// canAnswer reports whether queries can be answered from the store.
func (f fitness) canAnswer() bool { return f == fit || f == tampered || f == relisted }

// ifDamaged returns the state of a damaged store, in place of the error, for a full sync:
// it makes the store anew. Other syncs return the error.
func ifDamaged(s state, err error, full bool) (state, error) {
	if full && store.IsDamage(err, true) {
		return state{fitness: damaged}, nil
	}
	return s, err
}

// action is what a sync does to the store.
type action int

const (
	doNothing action = iota
	doUpdate         // replaces the rows of changed logs
	doCreate         // makes a store from the logs
	doRebuild        // doCreate, and rows of vanished logs come from the old store
	doHeal           // doRebuild, and a report of the rows that another program changed
	doSalvage        // doCreate, and rows of vanished logs come from what is readable of the old store
)

// makesAnew reports whether the action makes a new file.
func (a action) makesAnew() bool { return a != doNothing && a != doUpdate }

// decide returns the action for a store, a plan's work, and a sync that is full or not.
func decide(f fitness, w work, full bool) action {
	switch {
	case f == missing:
		return doCreate
	case f == damaged:
		return doSalvage
	case f == tampered:
		return doHeal
	case full, f == foreign, f == relisted, w == workOnMost:
		return doRebuild
	case w == workOnSome:
		return doUpdate
	}
	return doNothing
}

// isCurrent reports whether the store is unchanged since the state was read. The caller
// holds the lock of writers.
func (s *state) isCurrent(path string) bool { return s.file == store.MarkOf(path) }

// plan compares the store with the logs on disk.
func (s *state) plan(c Config, dog *readers.Watchdog, logs []foundLog, full bool) plan {
	full = full || !s.isComparable()
	files := fingerprint(logs)
	logs, inStore, moved := s.identify(logs, readDisk(dog, nil, c.Machine))
	disk := readDisk(dog, inStore, c.Machine)
	logs = withParts(logs, inStore, c.Machine, disk, full)
	markShorter(logs, inStore)
	p := makePlan(logs, inStore, c.Machine, disk)
	p.dog, p.unlinked, p.files, p.moved = dog, s.unlinked, files, moved
	if full {
		p.load, p.back, p.unchanged = logs, nil, 0
	}
	return p
}

// isComparable reports whether the store's rows are those of its record of each log.
func (s *state) isComparable() bool { return s.fitness == fit || s.fitness == relisted }

func (l *ledger) state(ctx context.Context, logs []foundLog) (state, error) {
	s, err := l.acquireState(ctx)
	if err == nil {
		err = l.readLogs(ctx, &s, logs)
		l.db.Release(ctx)
	}
	return s, l.at.Classify(err)
}

// acquireState is state without the logs. The store stays acquired unless acquireState
// returns an error.
func (l *ledger) acquireState(ctx context.Context) (s state, err error) {
	s.file = store.MarkOf(l.at.Path)
	if _, err := os.Stat(l.at.Path); errors.Is(err, fs.ErrNotExist) {
		s.fitness = missing
		return s, l.db.Acquire(ctx, duck.Held) // making empty tables takes longer than all the rest
	}
	if err := l.db.Acquire(ctx, duck.Attached); err != nil {
		return s, err
	}
	if err = l.readState(ctx, &s); err != nil {
		l.db.Release(ctx)
	}
	return s, l.at.Classify(err)
}

func (l *ledger) readState(ctx context.Context, s *state) error {
	hash, err := l.readLastFiles(ctx, s)
	if err != nil { // another build may have written the file, or another program
		var none error
		if hash, none = l.db.SchemaHash(ctx); none != nil {
			return none
		}
	}
	if hash != tables.SchemaHash() {
		s.fitness, s.last, s.unlinked = foreign, lastFiles{}, false
		return nil
	}
	if err != nil {
		return err
	}
	if err := l.db.MarkChecked(ctx); err != nil {
		return err
	}
	return l.checkRows(ctx, s)
}

// compareList compares the list of forgotten sessions with the list at the last write. A
// plan made for another list is dropped.
func (s *state) compareList(list *forget.List) {
	before := s.fitness
	switch isSame := s.last.forgotten == list.Digest(); {
	case s.fitness == fit && !isSame:
		s.fitness = relisted
	case s.fitness == relisted && isSame:
		s.fitness = fit
	}
	if s.fitness != before {
		s.planned = nil
	}
}

// readLogs reads the store's record of each log. found are the files that the record is to
// be compared with. A store that is made anew may have the record of another build: if so,
// logs get new ids.
func (l *ledger) readLogs(ctx context.Context, s *state, found []foundLog) (err error) {
	if s.fitness == missing || s.fitness == damaged {
		return nil
	}
	if err = l.readRecord(ctx, s); err == nil && len(s.loaded) > 0 {
		err = l.match(ctx, s, found)
	}
	if err != nil && !s.isComparable() {
		s.loaded, err = nil, nil
	}
	return err
}

func (l *ledger) readRecord(ctx context.Context, s *state) (err error) {
	if s.loaded, err = l.loadedLogs(ctx); err != nil {
		return err
	}
	if s.last.forgotten != "" {
		if err := l.addForgotten(ctx, s); err != nil {
			return err
		}
	}
	if slices.ContainsFunc(l.db.Config().Readers, func(r *readers.Reader) bool { return r.Parts != nil }) {
		if err := l.addParts(ctx, s.loaded); err != nil {
			return err
		}
	}
	return l.addNeighbours(ctx, s.loaded)
}

func (l *ledger) loadedLogs(ctx context.Context) (list []storedLog, err error) {
	// Any column but source_id may be null in another machine's row. Paths are null if
	// the machine pushed no texts.
	const query = `SELECT source_id, coalesce(agent, ''), coalesce(machine, ''), coalesce(path, ''), coalesce(size, 0),
		coalesce(epoch_us(modified_at), 0), coalesce(reader_version, 0), gone_at IS NOT NULL, unread_since IS NOT NULL FROM ` + duck.StoreSchema + `.sources`
	err = l.db.Each(ctx, query, func(scan func(...any) error) error {
		var l storedLog
		err := scan(&l.id, &l.agent, &l.machine, &l.path, &l.size, &l.modifiedAt, &l.readerVersion, &l.gone, &l.unread)
		list = append(list, l)
		return err
	})
	if err == nil && slices.ContainsFunc(list, func(l storedLog) bool { return l.unread }) {
		err = l.addFailed(ctx, list)
	}
	return list, err
}

// addForgotten adds the logs that have no row in sources, because their sessions are
// forgotten.
func (l *ledger) addForgotten(ctx context.Context, s *state) error {
	const query = `SELECT source_id, coalesce(agent, ''), coalesce(machine, ''), path, coalesce(part, ''), coalesce(stamp, ''), coalesce(size, 0),
		coalesce(epoch_us(modified_at), 0), coalesce(reader_version, 0) FROM ` + duck.StoreSchema + `.forgotten_logs WHERE path IS NOT NULL`
	return l.db.Each(ctx, query, func(scan func(...any) error) error {
		l := storedLog{forgotten: true}
		err := scan(&l.id, &l.agent, &l.machine, &l.path, &l.part, &l.stamp, &l.size, &l.modifiedAt, &l.readerVersion)
		s.loaded = append(s.loaded, l)
		return err
	})
}

// addFailed sets failed in the logs for which the store has a problem saying that the
// log can't be read or stored.
func (l *ledger) addFailed(ctx context.Context, logs []storedLog) error {
	byID := byID(logs)
	return l.db.Each(ctx, "SELECT DISTINCT source_id FROM "+duck.StoreSchema+".problems WHERE "+isQuarantineProblem, func(scan func(...any) error) error {
		var id int64
		err := scan(&id)
		if l := byID[id]; l != nil {
			l.failed = true
		}
		return err
	})
}

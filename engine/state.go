package engine

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"

	"hindsql/engine/forget"
	"hindsql/engine/store"
	"hindsql/readers"
	"hindsql/tables"
)

// ledger reads what an attached store records about itself: the loaded logs with their
// sizes and times, the number of rows, and whether a sync was cut off.
type ledger struct{ in *instance }

// state describes the contents of the store.
type state struct {
	loaded   []loaded
	last     remembered
	unlinked bool
	missing  bool    // the store doesn't exist yet
	damaged  bool    // the store's contents can't be read
	tampered bool    // another program changed its rows
	rows     *rowsOf // recorded and counted numbers of rows; nil if unknown
	foreign  bool    // a build of hindsql with other tables wrote the store
	file     string  // see store.MarkOf
	relisted bool    // its rows came in under another list of forgotten sessions
	planned  *plan   // the plan of compare; nil before compare
}

// stillTrue reports whether the store is unchanged since the state was read. The caller
// holds the lock of writers.
func (s *state) stillTrue(path string) bool { return s.file == store.MarkOf(path) }

// plan compares the store with the logs on disk.
func (s *state) plan(c Config, dog *readers.Watchdog, logs []found, full bool) plan {
	disk := thisDisk(dog, s.loaded, c.machine())
	files := fingerprint(logs)
	logs = withParts(logs, s.loaded, c.machine(), disk, full)
	p := makePlan(logs, s.loaded, c.machine(), disk)
	p.dog, p.unlinked, p.files = dog, s.unlinked, files
	if full {
		p.load, p.back, p.unchanged = logs, nil, 0
	}
	return p
}

func (l *ledger) state(ctx context.Context) (state, error) {
	s, err := l.stateHeld(ctx)
	if err == nil {
		err = l.readLogs(ctx, &s)
		l.in.release(ctx)
	}
	return s, l.in.at.Classify(err)
}

// stateHeld is state without the logs. The store stays acquired unless stateHeld
// returns an error.
func (l *ledger) stateHeld(ctx context.Context) (s state, err error) {
	s.file = store.MarkOf(l.in.at.Path)
	if _, err := os.Stat(l.in.at.Path); errors.Is(err, fs.ErrNotExist) {
		s.missing, s.foreign = true, true
		return s, l.in.reading(ctx, func(context.Context) error { return nil }) // making empty tables takes longer than all the rest
	}
	if err := l.in.acquireAny(ctx); err != nil {
		return s, err
	}
	if err = l.readState(ctx, &s); err != nil {
		l.in.release(ctx)
	}
	return s, l.in.at.Classify(err)
}

func (l *ledger) readState(ctx context.Context, s *state) error {
	hash, err := l.remembers(ctx, s)
	if err != nil { // another build may have written the file, or another program
		var none error
		if hash, none = l.in.schemaHash(ctx); none != nil {
			return none
		}
	}
	if s.foreign = hash != tables.SchemaHash(); s.foreign {
		s.last, s.unlinked = remembered{}, false
		return nil
	}
	if err != nil {
		return err
	}
	if err := l.in.noteChecked(ctx); err != nil {
		return err
	}
	return l.checkRows(ctx, s)
}

// under notes which list of forgotten sessions is true now.
func (s *state) under(list *forget.List) {
	s.relisted = !s.missing && !s.foreign && !s.damaged && !s.tampered && s.last.forgotten != list.Digest()
}

// readLogs reads the store's record of each log.
func (l *ledger) readLogs(ctx context.Context, s *state) (err error) {
	if s.missing || s.foreign || s.tampered {
		return nil
	}
	if s.loaded, err = l.loadedLogs(ctx); err != nil {
		return err
	}
	if s.last.forgotten != "" {
		if err := l.addForgotten(ctx, s); err != nil {
			return err
		}
	}
	if slices.ContainsFunc(l.in.settings.get().Readers, func(r *readers.Reader) bool { return r.Parts != nil }) {
		if err := l.addParts(ctx, s.loaded); err != nil {
			return err
		}
	}
	return l.addNeighbours(ctx, s.loaded)
}

func (l *ledger) loadedLogs(ctx context.Context) (list []loaded, err error) {
	// Any column but source_id may be null in another machine's row. Paths are null if
	// the machine pushed no texts.
	const query = `SELECT source_id, coalesce(agent, ''), coalesce(machine, ''), coalesce(path, ''), coalesce(size, 0),
		coalesce(epoch_us(modified_at), 0), coalesce(reader_version, 0), gone_at IS NOT NULL, unread_since IS NOT NULL FROM ` + StoreSchema + `.sources`
	err = l.in.each(ctx, query, func(scan func(...any) error) error {
		var l loaded
		err := scan(&l.id, &l.agent, &l.machine, &l.path, &l.size, &l.modifiedAt, &l.readerVersion, &l.gone, &l.unread)
		list = append(list, l)
		return err
	})
	if err == nil && slices.ContainsFunc(list, func(l loaded) bool { return l.unread }) {
		err = l.addFailed(ctx, list)
	}
	return list, err
}

// addForgotten adds the logs that have no row in sources, because their sessions are
// forgotten.
func (l *ledger) addForgotten(ctx context.Context, s *state) error {
	const query = `SELECT source_id, coalesce(agent, ''), coalesce(machine, ''), path, coalesce(part, ''), coalesce(stamp, ''), coalesce(size, 0),
		coalesce(epoch_us(modified_at), 0), coalesce(reader_version, 0) FROM ` + StoreSchema + `.forgotten_logs WHERE path IS NOT NULL`
	return l.in.each(ctx, query, func(scan func(...any) error) error {
		l := loaded{forgotten: true}
		err := scan(&l.id, &l.agent, &l.machine, &l.path, &l.part, &l.stamp, &l.size, &l.modifiedAt, &l.readerVersion)
		s.loaded = append(s.loaded, l)
		return err
	})
}

// addFailed sets failed in the logs for which the store has a problem saying that the
// log can't be read or stored.
func (l *ledger) addFailed(ctx context.Context, logs []loaded) error {
	byID := byID(logs)
	return l.in.each(ctx, "SELECT DISTINCT source_id FROM "+StoreSchema+".problems WHERE "+isStanding, func(scan func(...any) error) error {
		var id int64
		err := scan(&id)
		if l := byID[id]; l != nil {
			l.failed = true
		}
		return err
	})
}

// Package sqlite reads a SQLite database while its agent writes it, and leaves
// no trace of that: no lock, no byte, no file in the agent's folder, its -shm
// included, and no copy anywhere.
//
// A rollback journal that a killed agent left is rolled back in what SQLite reads,
// and stays on the disk for the agent. While an agent holds a lock for writing, its
// transaction is waited for.
//
// SQLite reads through a file system of our own. It lays the committed frames of
// the -wal over the database file, which it only ever reads, so that a database
// of gigabytes, or one whose content stands in the -wal alone, costs what is
// asked of it. Nothing keeps the agent from writing meanwhile: what was read
// counts only where the files show, afterwards, that all of it was of one
// committed state.
package sqlite

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"time"

	"hindsql/readers"
)

// With are the files that belong to a database, for [readers.Reader.With]. The
// -shm is none: it says nothing that the others don't.
var With = []string{walSuffix, journalSuffix}

const (
	walSuffix     = "-wal"
	journalSuffix = "-journal"
)

// A read that the agent's writing spoiled is tried again, after a wait that
// doubles: two and a half seconds in all.
const (
	tries       = 12
	firstWait   = 10 * time.Millisecond
	longestWait = 320 * time.Millisecond
)

// ErrWritten is the error of a database that was written each time it was read.
// It comes as a [*readers.Unread]: the next sync tries again.
var ErrWritten = errors.New("being written, and no state of it stayed long enough to be read")

// View reads one committed state of the log, which is a database. read may run
// several times, whenever the agent's writing got in between: it collects what
// it finds from the beginning, and emits nothing.
//
// The error is read's own, SQLite's of a file that is damaged, encrypted or no
// database, or a [*readers.Unread] of one that may be read later.
func View(in *readers.Input, read func(*DB) error) error {
	return view(&place{in.Rel, in.Open, func(suffix string) (io.ReadCloser, error) {
		if in.With == nil {
			return nil, fs.ErrNotExist
		}
		return in.With(suffix)
	}, beside(in, in.Rel)}, read)
}

// beside opens the neighbours of a file below the log's root.
func beside(in *readers.Input, rel string) func(name string) (io.ReadCloser, error) {
	return func(name string) (io.ReadCloser, error) {
		if in.Aside == nil {
			return nil, fs.ErrNotExist
		}
		return in.Aside(path.Join(path.Dir(rel), name))
	}
}

// ViewAside is View for a database below the log's root whose changes are none
// of the log. The error is fs.ErrNotExist where there is none.
func ViewAside(in *readers.Input, rel string, read func(*DB) error) error {
	if in.Aside == nil {
		return fs.ErrNotExist
	}
	aside := func(suffix string) (io.ReadCloser, error) { return in.Aside(rel + suffix) }
	return view(&place{rel, func() (io.ReadCloser, error) { return aside("") }, aside, beside(in, rel)}, read)
}

func view(p *place, read func(*DB) error) error {
	var asked *pages // for which the read before asked
	wait, waited := firstWait, time.Duration(0)
	for range tries {
		settled, of, err := once(p, asked, read)
		if settled {
			return named(p.name, err)
		}
		var writer *inTransaction
		if errors.As(err, &writer) && writer.isLong(waited) {
			break
		}
		asked = of
		time.Sleep(wait)
		waited += wait
		wait = min(2*wait, longestWait)
	}
	return &readers.Unread{Err: named(p.name, ErrWritten)}
}

// once reads a state of the database. It is settled when that was the only one
// that was read; what else went wrong may come from a mix of several.
func once(p *place, before *pages, read func(*DB) error) (settled bool, asked *pages, err error) {
	s, err := openAgain(p, before)
	if err != nil {
		return !errors.Is(err, ErrWritten), before, err
	}
	defer s.release()
	err = s.view(read)
	ok, why := s.stood(p)
	if !ok || why != nil || errors.As(err, new(*readers.Unread)) {
		s.retire() // what it read is kept with it
	}
	if !ok || why != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		for page := range s.held {
			s.read.add(page)
		}
		return why != nil, &s.read, why
	}
	return true, nil, err
}

// named puts the database's name before an error that is not the disk's, which
// names the file, nor a mere "not there".
func named(name string, err error) error {
	if err == nil || errors.Is(err, fs.ErrNotExist) || errors.As(err, new(*fs.PathError)) || errors.As(err, new(*readers.Unread)) {
		return err
	}
	return fmt.Errorf("%s: %w", name, err)
}

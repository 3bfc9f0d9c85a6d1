// Package sqlite reads a SQLite database while its agent writes the database, and
// leaves no trace: no lock, no changed byte, no file in the agent's folder (not even a
// -shm), and no copy anywhere.
//
// If a killed agent left a rollback journal, SQLite reads the database as rolled back.
// On the disk the journal stays for the agent. While an agent holds a lock for writing,
// the package waits for the transaction to end.
//
// SQLite reads through a file system in this package. It lays the committed frames of
// the -wal over the database file and only ever reads. So the cost depends on the pages
// read, even if the database has gigabytes or all its content is in the -wal. The agent
// can write meanwhile: a read counts only if the files show, afterwards, that
// everything read was of one committed state.
package sqlite

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"sync"
	"time"

	"hindsql/readers"
)

// Suffixes lists the suffixes of a database's files for [readers.Reader.Suffixes]. The
// -shm is left out, because the -wal has the same information.
var Suffixes = []string{walSuffix, journalSuffix}

const (
	walSuffix     = "-wal"
	journalSuffix = "-journal"
)

// A read that the agent's writing spoiled is tried again after a wait. The wait doubles
// each time, up to longestWait: 2.5 seconds in all.
const (
	tries       = 12
	firstWait   = 10 * time.Millisecond
	longestWait = 320 * time.Millisecond
)

// ErrWritten is the error of a database that was written during each read. View wraps
// ErrWritten in a [*readers.Unread], and the next sync tries again.
var ErrWritten = errors.New("being written, and no state of it stayed long enough to be read")

// View reads one committed state of a log that is a database. If the agent writes
// meanwhile, read runs again. Therefore read must reset its results each time, and emit
// no events.
//
// The error is read's own, SQLite's for a damaged or encrypted file or one that isn't a
// database, or a [*readers.Unread] if a later read may succeed.
func View(in *readers.Input, read func(*DB) error) error {
	return view(&opener{in.Rel, in.Open, func(suffix string) (io.ReadCloser, error) {
		if in.OpenCompanion == nil {
			return nil, fs.ErrNotExist
		}
		return in.OpenCompanion(suffix)
	}, openInFolderOf(in, in.Rel)}, read)
}

// openInFolderOf returns a function that opens files in the folder of rel.
func openInFolderOf(in *readers.Input, rel string) func(name string) (io.ReadCloser, error) {
	return func(name string) (io.ReadCloser, error) {
		if in.OpenUnwatched == nil {
			return nil, fs.ErrNotExist
		}
		return in.OpenUnwatched(path.Join(path.Dir(rel), name))
	}
}

// ViewUnwatched is View for another database below the log's root. Its changes don't count
// as changes of the log. The error is fs.ErrNotExist if the database is missing.
func ViewUnwatched(in *readers.Input, rel string, read func(*DB) error) error {
	if in.OpenUnwatched == nil {
		return fs.ErrNotExist
	}
	aside := func(suffix string) (io.ReadCloser, error) { return in.OpenUnwatched(rel + suffix) }
	return view(&opener{rel, func() (io.ReadCloser, error) { return aside("") }, aside, openInFolderOf(in, rel)}, read)
}

func view(p *opener, read func(*DB) error) error {
	var asked *pages // pages that the previous read used
	wait, waited := firstWait, time.Duration(0)
	for range tries {
		settled, of, err := tryView(p, asked, read)
		if settled {
			return withName(p.name, err)
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
	return &readers.Unread{Err: withName(p.name, ErrWritten)}
}

// tryView reads the database one time. If settled is true, everything read belonged to one
// state, or a new try is useless: the error is final. If settled is false, even an
// error of read may come from mixed states. before and asked are the pages that the
// previous and this read used.
func tryView(p *opener, before *pages, read func(*DB) error) (settled bool, asked *pages, err error) {
	s, err := openPreloaded(p, before)
	if err != nil {
		return !errors.Is(err, ErrWritten), before, err
	}
	defer s.release()
	err = s.view(read)
	ok, why := s.isConsistent(p)
	if !ok || why != nil || errors.As(err, new(*readers.Unread)) {
		s.retire() // the pool's connections cache what they read
	}
	if !ok || why != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		for page := range s.preloaded {
			s.read.add(page)
		}
		return why != nil, &s.read, why
	}
	return true, nil, err
}

// withName adds the database's name to an error, unless the error comes from the disk and
// names the file, or is fs.ErrNotExist.
func withName(name string, err error) error {
	if err == nil || errors.Is(err, fs.ErrNotExist) || errors.As(err, new(*fs.PathError)) || errors.As(err, new(*readers.Unread)) {
		return err
	}
	return fmt.Errorf("%s: %w", name, err)
}

// View waits for the end of a transaction. But a database may hold thousands of
// sessions, each read by a View of its own. If the transaction is long, they must not
// all wait.
const (
	longIdle        = time.Second      // a transaction without a write for this long counts as long
	longestViewWait = 2 * time.Second  // longest wait of one view for one database
	vainWaitLasts   = 10 * time.Second // for this long after such a wait, no other view waits for the database
)

// inTransaction is the error of a database in the middle of a transaction.
type inTransaction struct {
	error
	db   fs.FileInfo
	idle time.Duration // since the last write
}

func (t *inTransaction) Unwrap() error { return t.error }

// isLong reports whether a view should stop waiting for the transaction. waited is how
// long it has waited so far.
func (t *inTransaction) isLong(waited time.Duration) bool {
	longTransactions.mu.Lock()
	defer longTransactions.mu.Unlock()
	longTransactions.list = slices.DeleteFunc(longTransactions.list, func(l vainWait) bool { return time.Since(l.since) > vainWaitLasts })
	known := slices.ContainsFunc(longTransactions.list, func(l vainWait) bool { return os.SameFile(l.db, t.db) })
	if !known && waited >= longestViewWait {
		longTransactions.list = append(longTransactions.list, vainWait{t.db, time.Now()})
		known = true
	}
	return known || t.idle > longIdle
}

// longTransactions lists the databases that a view recently waited for in vain.
var longTransactions struct {
	mu   sync.Mutex
	list []vainWait
}

type vainWait struct {
	db    fs.FileInfo
	since time.Time
}

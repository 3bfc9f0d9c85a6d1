package engine

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"time"

	"hindsql/readers"
	"hindsql/tables"
)

// Store is the DuckDB file of the tables, and the one DuckDB of this process
// that has it attached. Safe for use by many goroutines.
type Store struct {
	path     string
	key      string    // in opened
	safe     *confined // nil: SQL is the user's own
	inside   *inside   // nil: this is no worker
	lake     *Lake     // nil: the rows are the file's
	db       *sql.DB
	conn     *sql.Conn // attaches the file, and makes names
	spill    *ownSpill
	held     hold
	attached attachment
	syncing  gate // inside, somebody of this process syncs

	refuse func(*tables.Batch) error // of tests: rows that DuckDB refuses; nil for none

	redaction    sync.Once // makes its function
	redactionErr error

	mutex      sync.Mutex // guards what follows
	users      int        // who opened it
	config     Config
	last       lastSync
	lines      *readers.Watchdog // see linesDog
	linesSince time.Time
	starved    time.Time // since when no sync has come to write; zero when the last one had what it needed
}

// opened are the Stores of this process, by the path of their file. Two
// DuckDBs of a process on one file would not see each other's locks, and read
// what the other is writing.
var (
	opened      = map[string]*Store{}
	openedMutex sync.Mutex
)

// Open gives the Store of a path, the same one to all who ask. It reads the logs
// that the last to open it named. Nothing is read or attached yet. The error is
// that of an unknown time zone, a [*NotAStore] for a path where no file can be, or
// DuckDB's.
func Open(ctx context.Context, c Config) (*Store, error) {
	if _, err := location(c.Timezone); err != nil {
		return nil, err
	}
	if c.Lake != nil {
		return openLake(ctx, c)
	}
	if c.Safe != nil {
		return openSafe(ctx, c)
	}
	key, err := canonical(c.Store)
	if err != nil {
		return nil, err
	}
	if err := checkKind(c.Store); err != nil {
		return nil, err
	}
	openedMutex.Lock()
	defer openedMutex.Unlock()
	st := opened[key]
	if st == nil {
		if st, err = newStore(ctx, c.Store, key); err != nil {
			return nil, err
		}
		opened[key] = st
	}
	st.mutex.Lock()
	defer st.mutex.Unlock()
	st.users++
	st.config = c
	return st, nil
}

func newStore(ctx context.Context, path, key string) (*Store, error) {
	st := &Store{path: path, key: key, spill: newSpill(path), held: newHold(), syncing: newGate()}
	st.attached.gate = newGate()
	var err error
	st.db, st.conn, err = openMemory(context.WithoutCancel(ctx), st.spill.folder)
	return st, err
}

// canonical is the one path of a file that has several; the file need not be there.
func canonical(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real, nil
	}
	if folder, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		return filepath.Join(folder, filepath.Base(path)), nil
	}
	return path, nil
}

// Close gives the Store up. Its DuckDB ends when all who opened it have.
// Sessions end with it.
func (st *Store) Close() error {
	if st.safe != nil {
		return st.safe.close(st)
	}
	if st.lake != nil {
		return errors.Join(st.conn.Close(), st.db.Close(), st.spill.close())
	}
	openedMutex.Lock()
	defer openedMutex.Unlock()
	st.mutex.Lock()
	st.users--
	left := st.users
	st.mutex.Unlock()
	if left > 0 {
		return nil
	}
	delete(opened, st.key)
	return errors.Join(st.conn.Close(), st.db.Close(), st.spill.close())
}

func (st *Store) settings() Config {
	st.mutex.Lock()
	defer st.mutex.Unlock()
	return st.config
}

func (st *Store) exec(ctx context.Context, statement string) error {
	_, err := st.conn.ExecContext(ctx, statement)
	return err
}

// each calls visit for each row of a query, on a connection of its own.
func (st *Store) each(ctx context.Context, query string, visit func(scan func(...any) error) error, args ...any) error {
	rows, err := st.db.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	return eachRow(rows, visit)
}

// tighten has the store's files be their user's alone: those of a DuckDB, or of
// an older build, may be there for all to read.
func (st *Store) tighten() {
	if info, err := os.Stat(st.path); err != nil || info.Mode().Perm()&0o077 == 0 {
		return
	}
	for _, path := range []string{st.path, st.path + ".wal", st.path + ".lock", st.path + ".turn"} {
		_ = os.Chmod(path, 0o600)
	}
}

// Mark tells what the store's file holds from what it held before, whoever wrote
// to it. It reads no rows, and is empty where there is no file.
func (st *Store) Mark() string { return markOf(st.path) }

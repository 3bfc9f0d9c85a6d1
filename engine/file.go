package engine

import (
	"context"
	"os"
	"sync"
	"time"

	"hindsql/engine/store"
	"hindsql/tables"
)

// file is the Store of the user's file, into which syncs load rows.
type file struct {
	of      *Store
	key     string // of the file in opened
	in      *instance
	ledger  *ledger
	syncing store.Gate // held while a goroutine of this process syncs

	refuse func(*tables.Batch) error // for tests: returns an error for rows that DuckDB is to refuse; nil outside tests

	mutex   sync.Mutex // guards the fields below
	users   int        // number of callers that opened the file
	last    lastSync
	starved time.Time // when a sync first found the file held by others; zero after a whole sync
}

// openFile returns the open Store of a path, or starts a DuckDB for a new Store.
func openFile(ctx context.Context, c Config) (*Store, error) {
	key, err := store.Canonical(c.Store)
	if err != nil {
		return nil, err
	}
	if err := store.CheckKind(c.Store); err != nil {
		return nil, err
	}
	openedMutex.Lock()
	defer openedMutex.Unlock()
	f := opened[key]
	if f == nil {
		in, err := newInstance(ctx, c, onDisk{})
		if err != nil {
			return nil, err
		}
		f = &file{key: key, in: in, ledger: &ledger{in}, syncing: store.NewGate()}
		f.of = &Store{kind: f, settings: in.settings, disks: in.disks}
		opened[key] = f
	}
	f.in.settings.set(c)
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.users++
	return f.of, nil
}

func (f *file) close() error {
	openedMutex.Lock()
	defer openedMutex.Unlock()
	f.mutex.Lock()
	f.users--
	left := f.users
	f.mutex.Unlock()
	if left > 0 {
		return nil
	}
	delete(opened, f.key)
	return f.in.close()
}

func (f *file) begin(ctx context.Context, of *Store, zone *time.Location) (place, error) {
	return f.in.connect(ctx, of.SyncedAt, zone)
}

func (f *file) detach(ctx context.Context) error { return f.in.detach(ctx) }

func (f *file) stay(ctx context.Context) func() { return f.in.stay(ctx) }

func (f *file) open() (*instance, error) { return f.in, nil }

func (f *file) writable() (*file, error) { return f, nil }

func (f *file) syncedAt() time.Time {
	if last := f.lastWhole(); !last.began.IsZero() {
		return last.began
	}
	if info, err := os.Stat(f.in.at.Path); err == nil {
		return info.ModTime()
	}
	return time.Time{}
}

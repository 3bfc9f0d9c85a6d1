// Package load brings the rows of a store up to date with the logs: it finds the logs that
// changed, loads and links their rows, or makes the store anew.
//
// In: readers, which find and parse the logs; the store's file. Out: rows in the file, and
// a report. The package answers no query of users, knows no strangers' SQL, and never
// writes to a log.
//
// A sync compares the logs with the store's record of them (state, plan), decides what to
// do ([decide]), and does it: update replaces rows of changed logs, rebuild makes a draft
// beside the store, heal and salvage save what another program or damage left.
package load

import (
	"cmp"
	"context"
	"errors"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"hindsql/engine/duck"
	"hindsql/engine/loglines"
	"hindsql/engine/store"
	"hindsql/internal/lockfile"
	"hindsql/readers"
	"hindsql/tables"
)

// Config names the logs, and what their rows depend on.
type Config struct {
	duck.Config
	Roots    map[string][]string // by agent: roots given by the user; an agent without roots looks in its own places
	Host     readers.Host
	Hostname string        // value of the host columns: this machine's name, for people
	User     string        // value of the user columns: owner of the logs; empty for null
	Patience time.Duration // how long a sync waits for another sync; zero for 750 ms
	Prices   Prices        // for estimates of costs
}

// File is the user's file, into which syncs load rows.
type File struct {
	// Refuse returns an error for rows that DuckDB is to refuse, in tests; nil outside of
	// tests.
	Refuse func(*tables.Batch) error

	at      store.File
	db      *duck.DB
	disks   *loglines.Disks
	ledger  *ledger
	syncing store.Gate // held while a goroutine of this process syncs

	config  atomic.Pointer[Config]
	mutex   sync.Mutex // guards the fields below
	last    lastSync
	starved time.Time // when a sync first found the file held by others; zero after a whole sync
}

// Open returns the file that a DuckDB has attached.
func Open(c Config, db *duck.DB, disks *loglines.Disks) *File {
	at := store.File{Path: c.Store}
	f := &File{at: at, db: db, disks: disks, ledger: &ledger{at, db}, syncing: store.NewGate()}
	f.Configure(c)
	return f
}

// Config returns the configuration, as Configure set it last.
func (f *File) Config() Config { return *f.config.Load() }

// Configure sets the configuration.
func (f *File) Configure(c Config) {
	f.db.Configure(c.Config)
	f.config.Store(&c)
}

// SyncedAt returns when the logs were last found to be loaded. Before this process's
// first sync it returns the time of the last write to the file, or zero without a file.
func (f *File) SyncedAt() time.Time {
	if last := f.lastComplete(); !last.began.IsZero() {
		return last.began
	}
	if info, err := os.Stat(f.at.Path); err == nil {
		return info.ModTime()
	}
	return time.Time{}
}

// defaultPatience is how long a sync waits for another sync, which most likely loads
// the same files.
const defaultPatience = 750 * time.Millisecond

// patienceOfFirst is how long a sync waits for the sync that makes the store, or
// rebuilds it after an upgrade: until then no query has an answer.
const patienceOfFirst = 10 * time.Minute

func (f *File) patience() time.Duration { return cmp.Or(f.Config().Patience, defaultPatience) }

// waitFor tries to take the right to sync. If the patience runs out, it returns false
// and no error. If no store of this build exists, and the user set no Patience, it
// calls waits and goes on for patienceOfFirst.
func (f *File) waitFor(ctx context.Context, waits func(), try func(context.Context) (bool, error)) (bool, error) {
	ours, err := waitUpTo(ctx, f.patience(), try)
	if ours || err != nil || f.Config().Patience != 0 || f.canAnswer(ctx) {
		return ours, err
	}
	if waits != nil {
		waits()
	}
	return waitUpTo(ctx, patienceOfFirst, try)
}

// canAnswer reports whether queries can be answered from a store of this build.
func (f *File) canAnswer(ctx context.Context) bool {
	if !store.Exists(f.at.Path) {
		return false
	}
	err := f.db.Acquire(ctx, duck.Checked)
	if err == nil {
		f.db.Release(ctx)
	}
	return !errors.As(err, new(*store.OtherBuild))
}

func waitUpTo(ctx context.Context, limit time.Duration, try func(context.Context) (bool, error)) (bool, error) {
	waiting, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	done, err := try(waiting)
	if errors.Is(err, context.DeadlineExceeded) {
		err = ctx.Err()
	}
	return done, err
}

// lock takes the sync lock, which lets one process at a time write to the store.
func (f *File) lock(ctx context.Context, waits func()) (lock *lockfile.Lock, locked bool, err error) {
	if lock, err = f.at.SyncLock(); err != nil {
		return nil, false, err
	}
	locked, err = f.waitFor(ctx, waits, func(ctx context.Context) (bool, error) {
		return lock.TryLockContext(ctx, 10*time.Millisecond)
	})
	return lock, locked, err
}

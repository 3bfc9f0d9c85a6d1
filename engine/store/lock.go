package store

import (
	"context"
	"errors"
	"os"
	"time"

	"hindsql/internal/lockfile"
)

// LongestWindow is the longest time for which a writer keeps statements from beginning.
const LongestWindow = 2 * time.Second

const lockRetry = 4 * time.Millisecond

// StopOthers keeps other processes from beginning statements until the returned lock is
// released. On file systems without locks, the other processes go on.
func (f File) StopOthers(ctx context.Context, until time.Time) (*lockfile.Lock, error) {
	waiting, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	turn, err := f.turnstile(os.O_CREATE | os.O_RDWR)
	if err != nil {
		return nil, err
	}
	_, _ = turn.TryLockContext(waiting, lockRetry)
	return turn, ctx.Err()
}

func (f File) turnPath() string { return f.Path + ".turn" }

// turnstile is the lock of the file PATH.turn. A writer holds the lock while waiting
// for the store. Readers take and release the lock before each statement, and so wait
// for the writer. The first writer makes the file.
func (f File) turnstile(flags int) (*lockfile.Lock, error) { return lockfile.Of(f.turnPath(), flags) }

// PassTurn waits as long as a writer of any process waits for the file, [LongestWindow]
// at most. Before a wait PassTurn calls waits.
func (f File) PassTurn(ctx context.Context, waits func()) error {
	if !f.IsWanted() {
		return ctx.Err()
	}
	waits()
	waiting, cancel := context.WithTimeout(ctx, LongestWindow)
	defer cancel()
	turn, err := f.turnstile(os.O_RDONLY)
	if err != nil {
		return err
	}
	if passed, _ := turn.TryRLockContext(waiting, lockRetry); passed {
		_ = turn.Unlock()
	}
	return ctx.Err()
}

// IsWanted reports whether a writer of any process waits for the file.
func (f File) IsWanted() bool {
	turn, err := f.turnstile(os.O_RDONLY)
	if err != nil {
		return false
	}
	passed, err := turn.TryRLock()
	if passed {
		_ = turn.Unlock()
	}
	return !passed && err == nil
}

// Retry calls try until the file is free, or until the time. If a program other than
// hindsql holds the file, Retry returns at once, because the program may hold the file
// for hours.
func (f File) Retry(ctx context.Context, until time.Time, try func() error) error {
	for {
		err := f.Classify(try())
		var held *Held
		if !errors.As(err, &held) || held.Foreign() || time.Now().After(until) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(lockRetry):
		}
	}
}

func (f File) lockPath() string { return f.Path + ".lock" }

// SyncLock returns the lock that a process holds during a sync.
func (f File) SyncLock() (*lockfile.Lock, error) { return lockfile.New(f.lockPath()) }

package store

import (
	"context"
	"errors"
	"os"
	"sync"
	"time"

	"hindsql/internal/lockfile"
)

// RWLock shares the store's file among the goroutines of this process: any number of
// readers, or one writer.
type RWLock struct {
	mutex   sync.Mutex
	changed chan struct{} // closed and replaced when a field below changes
	readers int
	writer  bool // has the file, or waits for the readers to leave
}

// NewRWLock returns a lock without readers and writer.
func NewRWLock() RWLock { return RWLock{changed: make(chan struct{})} }

// wakeAll wakes waiting goroutines. The caller holds the mutex.
func (h *RWLock) wakeAll() {
	close(h.changed)
	h.changed = make(chan struct{})
}

// RLock adds a reader, as soon as no writer has the file or waits for it.
func (h *RWLock) RLock(ctx context.Context) error {
	return h.await(ctx, func() bool {
		if !h.writer {
			h.readers++
		}
		return !h.writer
	})
}

// RUnlock removes a reader.
func (h *RWLock) RUnlock() {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.readers--
	h.wakeAll()
}

// CountReaders is the number of readers.
func (h *RWLock) CountReaders() int {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	return h.readers
}

// Lock takes the file for a writer as soon as all readers have left. New readers wait
// from the start of the call, to let the writer in. At the deadline Lock returns
// context.DeadlineExceeded.
func (h *RWLock) Lock(ctx context.Context, deadline time.Time) error {
	ctx, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	if err := h.await(ctx, func() bool {
		free := !h.writer
		h.writer = true
		return free
	}); err != nil {
		return err
	}
	err := h.await(ctx, func() bool { return h.readers == 0 })
	if err != nil {
		h.Unlock()
	}
	return err
}

// Unlock releases the file, or a reservation, that a call of Lock made.
func (h *RWLock) Unlock() {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.writer = false
	h.wakeAll()
}

// await waits until ready returns true, or returns the error of ctx. It calls ready with
// the mutex held.
func (h *RWLock) await(ctx context.Context, ready func() bool) error {
	for {
		h.mutex.Lock()
		ok, changed := ready(), h.changed
		h.mutex.Unlock()
		if ok {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Gate admits one goroutine at a time.
type Gate chan struct{}

// NewGate returns an open Gate.
func NewGate() Gate { return make(Gate, 1) }

// Enter waits until the Gate is free, or returns the error of ctx.
func (g Gate) Enter(ctx context.Context) error {
	select {
	case g <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Leave frees the Gate.
func (g Gate) Leave() { <-g }

// LongestWindow is the longest time for which a writer keeps statements from beginning.
const LongestWindow = 2 * time.Second

const lockRetry = 4 * time.Millisecond

// LockTurn keeps other processes from beginning statements until the returned lock is
// released. On file systems without locks, the other processes go on.
func (f File) LockTurn(ctx context.Context, until time.Time) (*lockfile.Lock, error) {
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

// YieldToWriters waits as long as a writer of any process waits for the file,
// [LongestWindow] at most. Before a wait YieldToWriters calls waits.
func (f File) YieldToWriters(ctx context.Context, waits func()) error {
	if !f.HasWaitingWriter() {
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

// HasWaitingWriter reports whether a writer of any process waits for the file.
func (f File) HasWaitingWriter() bool {
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
		if !errors.As(err, &held) || held.IsForeign() || time.Now().After(until) {
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

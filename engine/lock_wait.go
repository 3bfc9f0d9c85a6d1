package engine

import (
	"cmp"
	"context"
	"errors"
	"time"

	"hindsql/engine/store"
	"hindsql/internal/lockfile"
)

// defaultPatience is how long a sync waits for another sync, which most likely loads
// the same files.
const defaultPatience = 750 * time.Millisecond

// patienceOfFirst is how long a sync waits for the sync that makes the store, or
// rebuilds it after an upgrade: until then no query has an answer.
const patienceOfFirst = 10 * time.Minute

func (f *file) patience() time.Duration {
	return cmp.Or(f.in.settings.get().Patience, defaultPatience)
}

// patiently tries to take the right to sync. If the patience runs out, it returns false
// and no error. If no store of this build exists, and the user set no Patience, it
// calls waits and goes on for patienceOfFirst.
func (f *file) patiently(ctx context.Context, waits func(), try func(context.Context) (bool, error)) (bool, error) {
	ours, err := waitUpTo(ctx, f.patience(), try)
	if ours || err != nil || f.in.settings.get().Patience != 0 || f.answers(ctx) {
		return ours, err
	}
	if waits != nil {
		waits()
	}
	return waitUpTo(ctx, patienceOfFirst, try)
}

// answers reports whether queries can be answered from a store of this build.
func (f *file) answers(ctx context.Context) bool {
	if !store.Exists(f.in.at.Path) {
		return false
	}
	err := f.in.acquireBare(ctx)
	if err == nil {
		f.in.release(ctx)
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
func (f *file) lock(ctx context.Context, waits func()) (lock *lockfile.Lock, locked bool, err error) {
	if lock, err = f.in.at.SyncLock(); err != nil {
		return nil, false, err
	}
	locked, err = f.patiently(ctx, waits, func(ctx context.Context) (bool, error) {
		return lock.TryLockContext(ctx, 10*time.Millisecond)
	})
	return lock, locked, err
}

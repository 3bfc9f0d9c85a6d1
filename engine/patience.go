package engine

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/gofrs/flock"
)

// defaultPatience is how long a sync waits for another one, which most likely
// loads the same files.
const defaultPatience = 750 * time.Millisecond

// patienceOfFirst is how long a sync waits for the one that makes the store, or
// makes it anew after an upgrade: until then there is nothing to answer from.
const patienceOfFirst = 10 * time.Minute

func (st *Store) patience() time.Duration {
	return cmp.Or(st.settings().Patience, defaultPatience)
}

// patiently tries to be the one that syncs, of all who would at once. Its error
// is another one than that the others took too long.
func (st *Store) patiently(ctx context.Context, waits func(), try func(context.Context) (bool, error)) (bool, error) {
	ours, err := waitUpTo(ctx, st.patience(), try)
	if ours || err != nil || st.settings().Patience != 0 || st.answers(ctx) {
		return ours, err
	}
	if waits != nil {
		waits()
	}
	return waitUpTo(ctx, patienceOfFirst, try)
}

// answers says whether there is a store of this build.
func (st *Store) answers(ctx context.Context) bool {
	if !onThisDisk(st.path) {
		return false
	}
	err := st.acquireBare(ctx)
	if err == nil {
		st.release(ctx)
	}
	return !errors.As(err, new(*OtherBuild))
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

// lock takes the right to write to the store, for which one process at a time
// waits for the others.
func (st *Store) lock(ctx context.Context, waits func()) (lock *flock.Flock, locked bool, err error) {
	lock = flock.New(st.path+".lock", flock.SetPermissions(0o600))
	locked, err = st.patiently(ctx, waits, func(ctx context.Context) (bool, error) {
		return lock.TryLockContext(ctx, 10*time.Millisecond)
	})
	return lock, locked, err
}

package engine

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/gofrs/flock"
)

// How long a writer waits for those who read. It asks for the file for a
// window, in which no statement begins, in any process; then lets them begin for
// 250 ms, and asks again. Each window is longer than the last, so that statements
// of up to two seconds that overlap all the time don't starve it.
const (
	window        = 250 * time.Millisecond
	longestWindow = 2 * time.Second
	patienceOfAll = 5 * time.Second // of a writer in the midst of its work
	starving      = time.Second     // after which a sync waits for the longest window at once
	lockRetry     = 4 * time.Millisecond

	// Of who reads while another process of hindsql's writes, which ends: on a busy
	// machine a transaction and the links after it took more than 5 s.
	patienceOfReaders = time.Minute
)

// turn is how long a writer waits for the file: its first window, and in all.
type turn struct{ window, patience time.Duration }

// laterTurn is that of a writer who is in the midst of its work.
var laterTurn = turn{window, patienceOfAll}

// takeTurn gives a writer the file: nobody in this process has it attached, no
// statement begins meanwhile, and attach, which is tried until then, found no
// other process in its way. The error is a [*Held] when patience was over.
func (in *instance) takeTurn(ctx context.Context, t turn, attach func() error) (release func(), err error) {
	deadline := time.Now().Add(t.patience)
	for w := t.window; ; w = min(2*w, longestWindow) {
		err = in.tryTurn(ctx, time.Now().Add(w), attach)
		var held *Held
		if !errors.As(err, &held) || held.foreign() || time.Now().Add(window).After(deadline) {
			return in.held.disown, err
		}
		if err := pause(ctx, window); err != nil {
			return nil, err
		}
	}
}

func (in *instance) tryTurn(ctx context.Context, until time.Time, attach func() error) error {
	turn, err := in.at.stopOthers(ctx, until)
	if err != nil {
		return err
	}
	defer turn.Unlock()
	if err := in.held.own(ctx, until); err != nil {
		if ctx.Err() == nil { // the deadline was own's
			err = &Held{Path: in.at.path, PID: os.Getpid()}
		}
		return err
	}
	if err = in.detach(ctx); err == nil {
		err = in.at.retry(ctx, until, attach)
	}
	if err != nil {
		in.held.disown()
	}
	return err
}

// stopOthers keeps other processes from beginning a statement, until the lock
// that it gives is released. Where there can be no lock they go on.
func (a storeFile) stopOthers(ctx context.Context, until time.Time) (*flock.Flock, error) {
	waiting, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	turn := a.turnstile(os.O_CREATE | os.O_RDWR)
	_, _ = turn.TryLockContext(waiting, lockRetry)
	return turn, ctx.Err()
}

// turnstile is the lock that those who read pass through, and a waiting writer
// keeps. The first writer makes it.
func (a storeFile) turnstile(flag int) *flock.Flock {
	return flock.New(a.path+".turn", flock.SetFlag(flag), flock.SetPermissions(0o600))
}

// passTurn waits while a writer of any process waits for the file.
func (a storeFile) passTurn(ctx context.Context) error {
	waiting, cancel := context.WithTimeout(ctx, longestWindow)
	defer cancel()
	turn := a.turnstile(os.O_RDONLY)
	if passed, _ := turn.TryRLockContext(waiting, lockRetry); passed {
		_ = turn.Unlock()
	}
	return ctx.Err()
}

// retry tries until the file is free, or the time is over. Nobody knows how
// long another program than hindsql will have it: for that there is no waiting.
func (a storeFile) retry(ctx context.Context, until time.Time, try func() error) error {
	for {
		err := a.condition(try())
		var held *Held
		if !errors.As(err, &held) || held.foreign() || time.Now().After(until) {
			return err
		}
		if err := pause(ctx, lockRetry); err != nil {
			return err
		}
	}
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

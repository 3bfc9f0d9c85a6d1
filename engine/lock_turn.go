package engine

import (
	"context"
	"errors"
	"os"
	"time"

	"hindsql/engine/store"
)

// A writer asks for the file for a window, in which no statement begins, in any
// process; then it lets them begin for 250 ms, and asks again. Each window is longer
// than the last, so that statements of up to two seconds that overlap all the time
// don't starve it.
const (
	window        = 250 * time.Millisecond
	patienceOfAll = 5 * time.Second // of a writer in the midst of its work
	starving      = time.Second     // after which a sync waits for the longest window at once

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
	for w := t.window; ; w = min(2*w, store.LongestWindow) {
		err = in.tryTurn(ctx, time.Now().Add(w), attach)
		var held *store.Held
		if !errors.As(err, &held) || held.Foreign() || time.Now().Add(window).After(deadline) {
			return in.held.Disown, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(window):
		}
	}
}

func (in *instance) tryTurn(ctx context.Context, until time.Time, attach func() error) error {
	turn, err := in.at.StopOthers(ctx, until)
	if err != nil {
		return err
	}
	defer turn.Unlock()
	if err := in.held.Own(ctx, until); err != nil {
		if ctx.Err() == nil { // the deadline was own's
			err = &store.Held{Path: in.at.Path, PID: os.Getpid()}
		}
		return err
	}
	if err = in.detach(ctx); err == nil {
		err = in.at.Retry(ctx, until, attach)
	}
	if err != nil {
		in.held.Disown()
	}
	return err
}

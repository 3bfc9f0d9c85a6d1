package engine

import (
	"context"
	"errors"
	"os"
	"time"

	"hindsql/engine/store"
)

// A writer tries to get the file during a window, a time in which no statement begins
// in any process. If the running statements don't end in the window, statements may
// begin again for 250 ms, and the writer tries another window. Each window is twice as
// long as the last, up to two seconds. So the writer gets the file even if statements
// of up to two seconds overlap all the time.
const (
	window        = 250 * time.Millisecond
	patienceOfAll = 5 * time.Second // of a writer in the middle of its work
	starving      = time.Second     // time after which a sync starts with the longest window

	// Patience of readers while another process of hindsql's writes. The write ends by
	// itself, but on a busy machine a transaction and its links took more than 5 s.
	patienceOfReaders = time.Minute
)

// turn says how long a writer waits for the file: its first window, and in total.
type turn struct{ window, patience time.Duration }

// laterTurn is the turn of a writer in the middle of its work.
var laterTurn = turn{window, patienceOfAll}

// turnOfRebuild is the turn of a rebuild that has only to put its file in place. The
// rebuild has cost more than the wait: a minute.
var turnOfRebuild = turn{window, time.Minute}

// takeTurn gets the file for a writer, in windows (see the start of this file). In a
// window no statement begins, this process's DuckDB detaches the file, and attach is
// retried while another process has the file open. The error is a [*Held] if the
// patience ran out, or if a program other than hindsql holds the file.
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
		if ctx.Err() == nil { // the deadline of Own passed
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

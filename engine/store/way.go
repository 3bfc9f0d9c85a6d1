package store

import (
	"context"
	"errors"
	"sync"
)

// Way is a Gate for long and quick work. Long work may give way: it ends for quick work,
// and begins again behind it.
type Way struct {
	Gate
	mutex sync.Mutex // guards the fields below
	quick int        // quick work that waits for the Gate
	stop  func()     // ends the long work that gives way; nil if none does
}

// ErrGaveWay ends long work for quick work.
var ErrGaveWay = errors.New("store: quick work comes first")

// EnterAs is Enter for quick or long work.
func (y *Way) EnterAs(ctx context.Context, isQuick bool) error {
	if isQuick {
		y.wait(1)
		defer y.wait(-1)
	}
	return y.Enter(ctx)
}

func (y *Way) wait(more int) {
	y.mutex.Lock()
	defer y.mutex.Unlock()
	if y.quick += more; y.quick > 0 && y.stop != nil {
		y.stop()
	}
}

// IsWaitedFor reports whether quick work waits.
func (y *Way) IsWaitedFor() bool {
	y.mutex.Lock()
	defer y.mutex.Unlock()
	return y.quick > 0
}

// Give calls long, inside the Gate, with a context that ends if quick work waits. The
// error then is ErrGaveWay.
func (y *Way) Give(ctx context.Context, long func(context.Context) error) error {
	within, end := context.WithCancelCause(ctx)
	defer end(nil)
	y.set(func() { end(ErrGaveWay) })
	defer y.set(nil)
	err := long(within)
	if err != nil && context.Cause(within) == ErrGaveWay { //nolint:errorlint // our own value
		return ErrGaveWay
	}
	return err
}

func (y *Way) set(stop func()) {
	y.mutex.Lock()
	defer y.mutex.Unlock()
	if y.stop = stop; stop != nil && y.quick > 0 {
		stop()
	}
}

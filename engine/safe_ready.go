package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"hindsql/engine/sandbox"
)

// held describes the rows of the source that a worker holds.
type held struct {
	made   bool             // the tables exist
	mark   string           // markOfAll at the last copy
	copied time.Time        // when the last copy began
	known  map[int64]string // state of each source's rows at the last copy
}

// mostCopies is how many workers in a row may end while rows are copied.
const mostCopies = 3

// ready returns a worker that holds the source's current rows. If many callers ask at
// once, one copies and the others wait.
func (c *confined) ready(ctx context.Context) (*hired, error) {
	asked := time.Now()
	if err := c.gate.Enter(ctx); err != nil {
		return nil, err
	}
	defer c.gate.Leave()
	var ended *sandbox.Ended
	for range mostCopies {
		w, err := c.worker(ctx)
		if err == nil {
			err = c.refresh(ctx, w, asked)
		}
		var limit *Limit
		switch {
		case errors.As(err, &limit) && w.began.Load() > 0:
			w.retired.Store(true) // a statement may have taken the memory
		case !errors.As(err, &ended):
			return w, err
		}
	}
	switch {
	case c.box.isClosed():
		return nil, errClosed
	case ended == nil, ended.Cause == sandbox.Memory:
		return nil, c.bounds.outOfMemory()
	}
	// A worker's last words are not for strangers who send SQL.
	return nil, fmt.Errorf("safe: the process for SQL of others %s, %d times while rows were copied; see hindsql doctor", ended.Cause, mostCopies)
}

// worker returns the worker with its DuckDB. If a worker that had rows ends, the next
// worker gets its rows at once, before a caller asks.
func (c *confined) worker(ctx context.Context) (*hired, error) {
	w, err := c.box.hire(ctx)
	if err != nil || w.known != nil {
		return w, err
	}
	if err := w.do(context.WithoutCancel(ctx), callOpen, opening{c.bounds.Rows, c.bounds.Memory, c.bounds.Time}, nil); err != nil {
		w.Kill(sandbox.Killed)
		return nil, err
	}
	w.known = map[int64]string{}
	go func() {
		<-w.Done()
		if w.served.Load() && w.Ended().Cause != sandbox.Killed {
			c.renew()
		}
	}()
	return w, nil
}

// prepare starts a worker before the first caller asks.
func (c *confined) prepare() {
	if c.gate.Enter(context.Background()) == nil {
		defer c.gate.Leave()
		_, _ = c.worker(context.Background()) // the first caller gets the error
	}
}

// renew gives a worker its rows before a caller asks. The next caller gets the error.
func (c *confined) renew() { _, _ = c.ready(context.Background()) }

// refresh copies the source's changes since the last copy.
func (c *confined) refresh(ctx context.Context, w *hired, asked time.Time) error {
	if w.made && (w.copied.After(asked) || w.mark == markOfAll(c.source.settings.get().Store)) {
		return nil
	}
	moved := int64(0)
	err := c.tight(c.reader.Read(ctx, func(r *Reading) error {
		mark, began := markOfAll(c.source.settings.get().Store), time.Now()
		if c.bounds.Redact != nil {
			var err error
			if ctx, err = r.Redacting(ctx, c.bounds.Redact); err != nil {
				return err
			}
		}
		copying := &copying{c, w, r, map[int64]int64{}, 0}
		err := copying.all(ctx)
		moved = copying.moved
		if err == nil {
			w.mark, w.copied = mark, began
			w.served.Store(true)
		}
		return err
	}))
	if moved >= muchMoved {
		sandbox.Trim()
	}
	return err
}

// muchMoved is how many bytes of copied rows make it worth some milliseconds to give
// memory back to the system.
const muchMoved = 32 << 20

// tight turns the error of a copy that ran out of memory into a [*Limit]: statements
// use the same bound. If DuckDB runs out while making a view, its error doesn't mention
// memory.
func (c *confined) tight(err error) error {
	if err != nil && (strings.Contains(err.Error(), "Out of Memory") || strings.Contains(err.Error(), "arrow scan API failure")) {
		return c.bounds.outOfMemory()
	}
	return err
}

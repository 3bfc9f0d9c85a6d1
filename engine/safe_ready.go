package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"hindsql/engine/sandbox"
)

// held is what a worker holds of the source.
type held struct {
	made   bool             // the tables are there
	mark   string           // see markOfAll, when last copied
	copied time.Time        // when that began
	known  map[int64]string // what the rows of a source were, when copied
}

// mostCopies is how many workers in a row may end while rows are copied.
const mostCopies = 3

// ready gives a worker that holds what the source does. If many ask at once, one
// copies and the others wait.
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
	// What a worker said last is for nobody who sends SQL.
	return nil, fmt.Errorf("safe: the process for SQL of others %s, %d times while rows were copied; see hindsql doctor", ended.Cause, mostCopies)
}

// worker gives the worker with its DuckDB. If a worker ends that had rows, the next
// one gets them at once, before somebody asks.
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

// prepare starts a worker before anybody asks for it.
func (c *confined) prepare() {
	if c.gate.Enter(context.Background()) == nil {
		defer c.gate.Leave()
		_, _ = c.worker(context.Background()) // who asks first hears what is wrong
	}
}

// renew gives a worker its rows before somebody asks. Who asks next hears what is
// wrong.
func (c *confined) renew() { _, _ = c.ready(context.Background()) }

// refresh copies what changed in the source since the last time.
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

// muchMoved is how many bytes of rows leave so much memory behind them that it is
// worth some milliseconds to give it back.
const muchMoved = 32 << 20

// tight turns the error of a copy that had no memory into a [*Limit]: statements
// take it from the same bound. DuckDB says less of it where a view is made.
func (c *confined) tight(err error) error {
	if err != nil && (strings.Contains(err.Error(), "Out of Memory") || strings.Contains(err.Error(), "arrow scan API failure")) {
		return c.bounds.outOfMemory()
	}
	return err
}

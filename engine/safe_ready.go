package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"hindsql/engine/sandbox"
	"hindsql/engine/store"
)

// held describes the rows of the source that a worker holds.
type held struct {
	opened bool                        // its DuckDB runs
	made   bool                        // the tables exist
	mark   string                      // of the store at the last copy
	file   fs.FileInfo                 // the store's file at the last copy
	copied time.Time                   // when the last copy began
	holds  needs                       // the columns of the rows
	known  map[string]map[int64]string // by table: the state of each source's rows at the last copy
	groups map[string]map[int64]groups // by table: the rows of sources that are likely to grow
	stale  int64                       // bytes of logs whose rows were deleted since the last checkpoint
}

const (
	mostCopies = 3  // workers in a row that may end while rows are copied
	mostWays   = 10 // how often a copying of long texts gives way
)

// ready returns a worker that holds the source's current rows, and the columns that a
// statement lacks. If many callers ask at once, one copies and the others wait. A caller
// who lacks no long texts never waits until all long texts of another are redacted.
func (c *confined) ready(ctx context.Context, lacks needs) (*hired, error) {
	if w := c.box.current(); w != nil && lacks == nil {
		if mark := w.current.Load(); mark != nil && *mark == store.MarkOf(c.source.settings.get().Store) {
			return w, nil
		}
	}
	return c.bring(ctx, lacks, lacks.hasLong())
}

// bring copies the rows for ready. long says that long texts are copied, too, that an
// earlier statement wanted and the worker lacks.
func (c *confined) bring(ctx context.Context, lacks needs, long bool) (w *hired, err error) {
	for asked, way := time.Now(), mostWays; ; way-- {
		if w, err = c.bringOnce(ctx, copyWanted{lacks, long, long && way > 0}, asked); !errors.Is(err, store.ErrGaveWay) {
			return w, err
		}
	}
}

// copyWanted says which rows are copied.
type copyWanted struct {
	lacks needs
	long  bool // and columns with long texts that the worker lacks
	gives bool // the copying ends if another copying without such columns is asked for
}

func (c *confined) bringOnce(ctx context.Context, wanted copyWanted, asked time.Time) (*hired, error) {
	if err := c.way.EnterAs(ctx, !wanted.long); err != nil {
		return nil, err
	}
	defer c.way.Leave()
	var ended *sandbox.Ended
	for range mostCopies {
		w, err := c.worker(ctx)
		if err == nil {
			err = c.refresh(ctx, w, wanted, asked)
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
	if err != nil || w.opened {
		return w, err
	}
	o, err := c.opening(ctx)
	if err != nil {
		return nil, err
	}
	if err := w.do(context.WithoutCancel(ctx), callOpen, o, nil); err != nil {
		w.Kill(sandbox.Killed)
		return nil, err
	}
	w.opened, w.known, w.groups = true, map[string]map[int64]string{}, map[string]map[int64]groups{}
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
	if c.way.Enter(context.Background()) == nil {
		defer c.way.Leave()
		_, _ = c.worker(context.Background()) // the first caller gets the error
	}
}

// renew gives a worker its rows before a caller asks. The next caller gets the error.
func (c *confined) renew() { _, _ = c.bring(context.Background(), nil, true) }

// refresh copies the columns that the worker lacks, and the source's changes since the
// last copy.
func (c *confined) refresh(ctx context.Context, w *hired, of copyWanted, asked time.Time) error {
	all, path := c.wanted.plus(of.lacks), c.source.settings.get().Store
	wanted := all
	if !of.long {
		wanted = all.short(w.holds)
	}
	if w.made && wanted.without(w.holds) == nil && (w.copied.After(asked) || w.mark == store.MarkOf(path)) {
		return nil
	}
	moved := int64(0)
	err := c.tight(c.reader.ReadStored(ctx, func(r *Reading) error {
		mark, began := store.MarkOf(path), time.Now()
		file, _ := os.Stat(path) // nil if the store is missing
		if c.bounds.Redact != nil {
			var err error
			if ctx, err = r.Redacting(ctx, c.clean.Redacting(c.bounds.Redact)); err != nil {
				return err
			}
		}
		copying := &copying{confined: c, w: w, from: r, wanted: wanted, same: w.made && mark == w.mark, gives: of.gives && wanted.without(w.holds).hasLong(), other: !sameFile(file, w.file)}
		err := copying.all(ctx)
		moved = copying.moved
		if err == nil {
			w.mark, w.file, w.copied = mark, file, began
			w.current.Store(&mark)
			c.wanted = all
			w.served.Store(true)
			if of.long {
				c.clean.Forget()
			}
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

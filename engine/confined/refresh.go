package confined

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"
	"time"

	"hindsql/engine/duck"
	"hindsql/engine/sandbox"
	"hindsql/engine/store"
)

// heldRows describes the rows of the source that a worker holds.
type heldRows struct {
	opened bool                        // its DuckDB runs
	made   bool                        // the tables exist
	mark   string                      // of the store at the last copy
	file   fs.FileInfo                 // the store's file at the last copy
	copied time.Time                   // when the last copy began
	holds  columnSet                   // the columns of the rows
	known  map[string]map[int64]string // by table: the state of each source's rows at the last copy
	groups map[string]map[int64]groups // by table: the rows of sources that are likely to grow
	stale  int64                       // bytes of logs whose rows were deleted since the last checkpoint
}

const (
	mostCopies = 3  // workers in a row that may end while rows are copied
	mostWays   = 10 // how often a copying of long texts gives way
)

// upToDate returns a worker that holds the source's current rows, and the columns that a
// statement lacks. If many callers ask at once, one copies and the others wait. A caller
// who lacks no long texts never waits until all long texts of another are redacted.
func (c *Pool) upToDate(ctx context.Context, lacks columnSet) (*worker, error) {
	if w := c.workers.current(); w != nil && lacks == nil {
		if mark := w.current.Load(); mark != nil && *mark == store.MarkOf(c.rows.Config().Store) {
			return w, nil
		}
	}
	return c.copyRows(ctx, lacks, lacks.hasLong())
}

// copyRows copies the rows for upToDate. long says that long texts are copied, too, that an
// earlier statement wanted and the worker lacks.
func (c *Pool) copyRows(ctx context.Context, lacks columnSet, long bool) (w *worker, err error) {
	for asked, way := time.Now(), mostWays; ; way-- {
		if w, err = c.copyRowsOnce(ctx, copyRequest{lacks, long, long && way > 0}, asked); !errors.Is(err, errPreempted) {
			return w, err
		}
	}
}

// copyRequest says which rows are copied.
type copyRequest struct {
	lacks         columnSet
	long          bool // and columns with long texts that the worker lacks
	isPreemptible bool // the copying ends if another copying without such columns is asked for
}

func (c *Pool) copyRowsOnce(ctx context.Context, wanted copyRequest, asked time.Time) (*worker, error) {
	if err := c.way.enterAs(ctx, !wanted.long); err != nil {
		return nil, err
	}
	defer c.way.Leave()
	var ended *sandbox.Ended
	for range mostCopies {
		w, err := c.worker(ctx)
		if err == nil {
			err = c.refresh(ctx, w, wanted, asked)
		}
		var limit *duck.Limit
		switch {
		case errors.As(err, &limit) && w.began.Load() > 0:
			w.retired.Store(true) // a statement may have taken the memory
		case !errors.As(err, &ended):
			return w, err
		}
	}
	switch {
	case c.workers.isClosed():
		return nil, errClosed
	case ended == nil, ended.Cause == sandbox.Memory:
		return nil, c.bounds.memoryLimit()
	}
	// A worker's last words are not for strangers who send SQL.
	return nil, fmt.Errorf("safe: the process for SQL of others %s, %d times while rows were copied; see hindsql doctor", ended.Cause, mostCopies)
}

// worker returns the worker with its DuckDB. If a worker that had rows ends, the next
// worker gets its rows at once, before a caller asks.
func (c *Pool) worker(ctx context.Context) (*worker, error) {
	w, err := c.workers.acquire(ctx)
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
func (c *Pool) prepare() {
	if c.way.Enter(context.Background()) == nil {
		defer c.way.Leave()
		_, _ = c.worker(context.Background()) // the first caller gets the error
	}
}

// renew gives a worker its rows before a caller asks. The next caller gets the error.
func (c *Pool) renew() { _, _ = c.copyRows(context.Background(), nil, true) }

// refresh copies the columns that the worker lacks, and the source's changes since the
// last copy.
func (c *Pool) refresh(ctx context.Context, w *worker, of copyRequest, asked time.Time) error {
	all, path := c.wanted.plus(of.lacks), c.rows.Config().Store
	wanted := all
	if !of.long {
		wanted = all.withoutNewTexts(w.holds)
	}
	if w.made && wanted.minus(w.holds) == nil && (w.copied.After(asked) || w.mark == store.MarkOf(path)) {
		return nil
	}
	moved := int64(0)
	err := c.asLimit(c.rows.Read(ctx, duck.Checked, func(r *duck.Reading) error {
		mark, began := store.MarkOf(path), time.Now()
		file, _ := os.Stat(path) // nil if the store is missing
		if c.bounds.Redact != nil {
			var err error
			if ctx, err = r.Redacting(ctx, c.clean.Wrap(c.bounds.Redact)); err != nil {
				return err
			}
		}
		copying := &copier{Pool: c, w: w, from: r, wanted: wanted, same: w.made && mark == w.mark, isPreemptible: of.isPreemptible && wanted.minus(w.holds).hasLong(), other: !store.SameFile(file, w.file)}
		err := copying.run(ctx)
		moved = copying.moved
		if err == nil {
			w.mark, w.file, w.copied = mark, file, began
			w.current.Store(&mark)
			c.wanted = all
			w.served.Store(true)
			if of.long {
				c.clean.Clear()
			}
		}
		return err
	}))
	if moved >= muchMoved {
		sandbox.FreeMemory()
	}
	return err
}

// muchMoved is how many bytes of copied rows make it worth some milliseconds to give
// memory back to the system.
const muchMoved = 32 << 20

// asLimit turns the error of a copy that ran out of memory into a [*duck.Limit]: statements
// use the same bound. If DuckDB runs out while making a view, its error doesn't mention
// memory.
func (c *Pool) asLimit(err error) error {
	if err != nil && (strings.Contains(err.Error(), "Out of Memory") || strings.Contains(err.Error(), "arrow scan API failure")) {
		return c.bounds.memoryLimit()
	}
	return err
}

// priorityGate is a [store.Gate] for long and quick work. Long work may give way: it ends
// for quick work, and begins again behind it.
type priorityGate struct {
	store.Gate
	mutex sync.Mutex // guards the fields below
	quick int        // quick work that waits for the Gate
	stop  func()     // ends the long work that gives way; nil if none does
}

// errPreempted ends long work for quick work.
var errPreempted = errors.New("safe: quick work comes first")

// enterAs is Enter for quick or long work.
func (g *priorityGate) enterAs(ctx context.Context, isQuick bool) error {
	if isQuick {
		g.countWaiting(1)
		defer g.countWaiting(-1)
	}
	return g.Enter(ctx)
}

func (g *priorityGate) countWaiting(more int) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	if g.quick += more; g.quick > 0 && g.stop != nil {
		g.stop()
	}
}

// runPreemptible calls long, inside the Gate, with a context that ends if quick work
// waits. The error then is errPreempted.
func (g *priorityGate) runPreemptible(ctx context.Context, long func(context.Context) error) error {
	within, end := context.WithCancelCause(ctx)
	defer end(nil)
	g.setStop(func() { end(errPreempted) })
	defer g.setStop(nil)
	err := long(within)
	if err != nil && context.Cause(within) == errPreempted { //nolint:errorlint // our own value
		return errPreempted
	}
	return err
}

func (g *priorityGate) setStop(stop func()) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	if g.stop = stop; stop != nil && g.quick > 0 {
		stop()
	}
}

package engine

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"hindsql/engine/sandbox"
	"hindsql/tables"
)

// copying brings the rows in a worker up to date with the store, once.
type copying struct {
	*confined
	w      *hired
	from   *Reading
	wanted needs
	same   bool            // the store is as it was at the worker's last copy
	gives  bool            // the copying gives way to quick ones
	other  bool            // the store's file isn't that of the last copy
	sizes  map[int64]int64 // of sources, in bytes; nil until asked for
	moved  int64           // bytes of rows handed over
}

func (c *copying) all(ctx context.Context) error {
	if !c.same {
		if err := c.scopes.Decide(ctx, c.from); err != nil {
			return err
		}
	}
	if !c.w.made {
		if err := c.make(ctx); err != nil {
			c.w.Kill(sandbox.Killed) // a worker with half of its tables is useless
			return err
		}
		c.w.made = true
	}
	if !c.gives {
		return c.move(ctx)
	}
	return c.way.Give(ctx, c.move)
}

func (c *copying) make(ctx context.Context) error {
	var size int64
	query := fmt.Sprintf("SELECT coalesce(sum(size), 0)::BIGINT FROM %[1]s.sources WHERE source_id IN (SELECT source_id FROM %[1]s.sessions WHERE %[2]s)",
		StoreSchema, c.scopes.Holds(tableNamed("sessions")))
	if err := c.from.Each(ctx, query, func(scan func(...any) error) error { return scan(&size) }); err != nil {
		return err
	}
	return c.w.do(context.WithoutCancel(ctx), callMake, c.attachedStore(size), nil)
}

// sizeOf returns the total size of some sources, in bytes.
func (c *copying) sizeOf(ctx context.Context, ids ...int64) (n int64, err error) {
	if c.sizes == nil {
		c.sizes = map[int64]int64{}
		err = c.from.Each(ctx, "SELECT source_id, coalesce(size, 0) FROM "+StoreSchema+".sources", func(scan func(...any) error) error {
			var id, size int64
			err := scan(&id, &size)
			c.sizes[id] = size
			return err
		})
	}
	for _, id := range ids {
		n += c.sizes[id]
	}
	return n, err
}

// exec runs hindsql's own SQL in the worker.
func (c *copying) exec(ctx context.Context, statement string) error {
	return c.w.do(ctx, callExec, statement, nil)
}

// portion is a table of which rows are copied.
type portion struct {
	*tables.Table
	columns []string
	anew    bool             // all rows are copied: the worker holds none, or none with all columns
	now     map[int64]string // state of each source's rows
	groups  map[int64]groups // of the changed sources, and of those likely to grow
}

// portions returns the tables of which rows may have to be copied.
func (c *copying) portions(ctx context.Context) (list []*portion, err error) {
	for _, t := range tables.Queried() {
		columns, wanted := c.wanted[t.Name]
		if !wanted {
			continue
		}
		held, holds := c.w.holds[t.Name]
		p := &portion{Table: t, columns: columns, anew: c.other || !holds || len(held) < len(columns), now: map[int64]string{}, groups: map[int64]groups{}}
		if p.anew || !c.same {
			list = append(list, p)
		}
	}
	return list, c.states(ctx, list)
}

// move brings the copy up to date with the source. Everything happens in transactions,
// so no statement sees half of a refresh.
func (c *copying) move(ctx context.Context) error {
	list, err := c.portions(ctx)
	if err != nil || len(list) == 0 {
		return err
	}
	feed := needs{}
	for _, p := range list {
		feed[p.Name] = p.columns
	}
	if err := c.w.do(context.WithoutCancel(ctx), callFeed, feed, nil); err != nil {
		return err
	}
	if err = c.moveAll(ctx, list); err == nil {
		c.w.holds = c.wanted
	}
	return cmp.Or(err, c.w.do(context.WithoutCancel(ctx), callFed, fed{c.moved >= muchMoved, c.w.holds}, nil))
}

func (c *copying) moveAll(ctx context.Context, list []*portion) error {
	stale := c.w.stale
	err := transactionBy(ctx, c.exec, func() error {
		for _, p := range list {
			if err := c.moveRows(ctx, p); err != nil {
				return fmt.Errorf("safe: %s: %w", p.Name, err)
			}
		}
		return nil
	})
	if err != nil {
		c.w.stale = stale
		return err
	}
	for _, p := range list {
		c.w.known[p.Name] = p.now
		if c.w.groups[p.Name] == nil || p.anew {
			c.w.groups[p.Name] = map[int64]groups{}
		}
		for id, g := range p.groups {
			c.w.groups[p.Name][id] = g
		}
	}
	if c.w.stale > mostStale {
		_ = c.exec(ctx, "CHECKPOINT store") // frees the deleted rows, unless a statement still reads them
		c.w.stale = 0
	}
	return nil
}

// mostStale is how many bytes of logs whose rows were deleted wait for a checkpoint.
// The checkpoint writes all rows beside them anew.
const mostStale = 64 << 20

// moveRows copies the rows of a table that changed, and deletes those that are gone.
func (c *copying) moveRows(ctx context.Context, p *portion) error {
	gone, come, err := c.changes(ctx, p)
	if err != nil {
		return err
	}
	for _, condition := range gone {
		if err := c.exec(ctx, "DELETE FROM "+StoreSchema+"."+p.Name+" WHERE "+condition); err != nil {
			return err
		}
	}
	for _, condition := range come {
		if err := c.copy(ctx, p.Table, condition+" AND "+c.scopes.Holds(p.Table)); err != nil {
			return err
		}
	}
	return nil
}

// sliceBytes is how many bytes of logs are copied at once: DuckDB has the whole result
// in memory before it returns the first row.
const sliceBytes = 48 << 20

// sliceRows is how many rows are copied at once if all rows are copied, and
// sliceShortRows the same if no column has long texts.
const (
	sliceRows      = 15_360
	sliceShortRows = 122_880
)

// slices returns the conditions that select all rows of a table, one slice after
// another. If all sources are in scope, a slice is a range of rowid, because the rows of
// a source lie scattered.
func (c *copying) slices(ctx context.Context, p *portion) (conditions []string, err error) {
	if len(c.scopes) > 0 {
		return c.slicesOf(ctx, slices.Sorted(maps.Keys(p.now)))
	}
	size := int64(sliceShortRows)
	if slices.ContainsFunc(p.columns, p.IsLong) {
		size = sliceRows
	}
	last := int64(-1)
	query := fmt.Sprintf("SELECT coalesce(max(rowid), -1) FROM %s.%s", StoreSchema, p.Name)
	err = c.from.Each(ctx, query, func(scan func(...any) error) error { return scan(&last) })
	for from := int64(0); from <= last; from += size {
		conditions = append(conditions, fmt.Sprintf("rowid BETWEEN %d AND %d", from, from+size-1))
	}
	return conditions, err
}

// slicesOf returns the conditions that select the rows of some sources.
func (c *copying) slicesOf(ctx context.Context, ids []int64) (conditions []string, err error) {
	var slice []int64
	var bytes int64
	for i, id := range ids {
		size, err := c.sizeOf(ctx, id)
		if err != nil {
			return nil, err
		}
		slice, bytes = append(slice, id), bytes+size
		if bytes >= sliceBytes || i == len(ids)-1 {
			conditions = append(conditions, ofSources(slice))
			slice, bytes = nil, 0
		}
	}
	return conditions, nil
}

// ofSources returns the condition for a row to be of one of the sources.
func ofSources(ids []int64) string {
	return "source_id IN (" + strings.Join(each(ids, "%d"), ", ") + ")"
}

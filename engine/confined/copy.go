package confined

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"hindsql/engine/duck"
	"hindsql/engine/sandbox"
	"hindsql/internal/sqltext"
	"hindsql/tables"
)

// copier brings the rows in a worker up to date with the store, once.
type copier struct {
	*Pool
	w             *worker
	from          *duck.Reading
	wanted        columnSet
	same          bool            // the store is as it was at the worker's last copy
	isPreemptible bool            // a quick copying may end it
	other         bool            // the store's file isn't that of the last copy
	sizes         map[int64]int64 // of sources, in bytes; nil until asked for
	moved         int64           // bytes of rows handed over
}

func (c *copier) run(ctx context.Context) error {
	if !c.same {
		if err := c.scopes.Refresh(ctx, c.from); err != nil {
			return err
		}
	}
	if !c.w.made {
		if err := c.makeTables(ctx); err != nil {
			c.w.Kill(sandbox.Killed) // a worker with half of its tables is useless
			return err
		}
		c.w.made = true
	}
	if !c.isPreemptible {
		return c.copyChanges(ctx)
	}
	return c.way.runPreemptible(ctx, c.copyChanges)
}

func (c *copier) makeTables(ctx context.Context) error {
	var size int64
	query := fmt.Sprintf("SELECT coalesce(sum(size), 0)::BIGINT FROM %[1]s.sources WHERE source_id IN (SELECT source_id FROM %[1]s.sessions WHERE %[2]s)",
		duck.StoreSchema, c.scopes.Condition(tables.Named("sessions")))
	if err := c.from.Each(ctx, query, func(scan func(...any) error) error { return scan(&size) }); err != nil {
		return err
	}
	return c.w.do(context.WithoutCancel(ctx), callMake, c.attachedStore(size), nil)
}

// sizeOf returns the total size of some sources, in bytes.
func (c *copier) sizeOf(ctx context.Context, ids ...int64) (n int64, err error) {
	if c.sizes == nil {
		c.sizes = map[int64]int64{}
		err = c.from.Each(ctx, "SELECT source_id, coalesce(size, 0) FROM "+duck.StoreSchema+".sources", func(scan func(...any) error) error {
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
func (c *copier) exec(ctx context.Context, statement string) error {
	return c.w.do(ctx, callExec, statement, nil)
}

// tableCopy is a table of which rows are copied.
type tableCopy struct {
	*tables.Table
	columns []string
	anew    bool             // all rows are copied: the worker holds none, or none with all columns
	now     map[int64]string // state of each source's rows
	groups  map[int64]groups // of the changed sources, and of those likely to grow
}

// portions returns the tables of which rows may have to be copied.
func (c *copier) portions(ctx context.Context) (list []*tableCopy, err error) {
	for _, t := range tables.Queried() {
		columns, wanted := c.wanted[t.Name]
		if !wanted {
			continue
		}
		held, holds := c.w.holds[t.Name]
		p := &tableCopy{Table: t, columns: columns, anew: c.other || !holds || len(held) < len(columns), now: map[int64]string{}, groups: map[int64]groups{}}
		if p.anew || !c.same {
			list = append(list, p)
		}
	}
	return list, c.states(ctx, list)
}

// copyChanges brings the copy up to date with the source. Everything happens in transactions,
// so no statement sees half of a refresh.
func (c *copier) copyChanges(ctx context.Context) error {
	list, err := c.portions(ctx)
	if err != nil || len(list) == 0 {
		return err
	}
	feed := columnSet{}
	for _, p := range list {
		feed[p.Name] = p.columns
	}
	if err := c.w.do(context.WithoutCancel(ctx), callFeed, feed, nil); err != nil {
		return err
	}
	if err = c.copyTables(ctx, list); err == nil {
		c.w.holds = c.wanted
	}
	return cmp.Or(err, c.w.do(context.WithoutCancel(ctx), callFed, feedEnd{c.moved >= muchMoved, c.w.holds}, nil))
}

func (c *copier) copyTables(ctx context.Context, list []*tableCopy) error {
	stale := c.w.stale
	err := duck.Transaction(ctx, c.exec, func() error {
		for _, p := range list {
			if err := c.copyRows(ctx, p); err != nil {
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

// copyRows copies the rows of a table that changed, and deletes those that are gone.
func (c *copier) copyRows(ctx context.Context, p *tableCopy) error {
	gone, come, err := c.changes(ctx, p)
	if err != nil {
		return err
	}
	for _, condition := range gone {
		if err := c.exec(ctx, "DELETE FROM "+duck.StoreSchema+"."+p.Name+" WHERE "+condition); err != nil {
			return err
		}
	}
	for _, condition := range come {
		if err := c.copy(ctx, p.Table, condition+" AND "+c.scopes.Condition(p.Table)); err != nil {
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
func (c *copier) slices(ctx context.Context, p *tableCopy) (conditions []string, err error) {
	if len(c.scopes) > 0 {
		return c.slicesOf(ctx, slices.Sorted(maps.Keys(p.now)))
	}
	size := int64(sliceShortRows)
	if slices.ContainsFunc(p.columns, p.IsLong) {
		size = sliceRows
	}
	last := int64(-1)
	query := fmt.Sprintf("SELECT coalesce(max(rowid), -1) FROM %s.%s", duck.StoreSchema, p.Name)
	err = c.from.Each(ctx, query, func(scan func(...any) error) error { return scan(&last) })
	for from := int64(0); from <= last; from += size {
		conditions = append(conditions, fmt.Sprintf("rowid BETWEEN %d AND %d", from, from+size-1))
	}
	return conditions, err
}

// slicesOf returns the conditions that select the rows of some sources.
func (c *copier) slicesOf(ctx context.Context, ids []int64) (conditions []string, err error) {
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
func ofSources(ids []int64) string { return "source_id IN (" + sqltext.Numbers(ids, "%d") + ")" }

// copy hands columns of a table's rows to the worker, as Arrow.
func (c *copier) copy(ctx context.Context, t *tables.Table, condition string) error {
	var columns []string
	for _, column := range columnsIn(t, c.wanted[t.Name]) {
		name := sqltext.Identifier(column.Name)
		if c.bounds.Redact != nil {
			name = sandbox.RedactSQL(name, column.Type)
		}
		columns = append(columns, name)
	}
	statement := fmt.Sprintf("SELECT %s FROM %s.%s WHERE %s", strings.Join(columns, ", "), duck.StoreSchema, t.Name, condition)
	return c.from.Records(ctx, statement, func(r array.RecordReader) error {
		h := sender{c: c, ctx: ctx, to: t.Name}
		for r.Next() {
			if err := h.add(r.RecordBatch()); err != nil {
				return errors.Join(err, h.wait())
			}
		}
		if err := r.Err(); err != nil {
			return errors.Join(err, h.wait())
		}
		return h.flush()
	})
}

// sender sends rows to the worker in messages. The worker inserts the rows of a
// message while the next message is made.
type sender struct {
	c       *copier
	ctx     context.Context
	to      string // the table
	batches []arrow.RecordBatch
	size    int
	running chan error // error of the running insertion; nil if no insertion runs
}

// handedBytes is the size of a message.
const handedBytes = 2 << 20

func (h *sender) add(batch arrow.RecordBatch) error {
	batch.Retain()
	h.batches, h.size = append(h.batches, batch), h.size+sandbox.BatchBytes(batch)
	if h.size < handedBytes {
		return nil
	}
	return h.send()
}

func (h *sender) send() error {
	messages, err := sandbox.Encode(h.batches, 0)
	for _, b := range h.batches {
		b.Release()
	}
	h.c.moved += int64(h.size)
	h.batches, h.size = nil, 0
	if err := cmp.Or(err, h.wait()); err != nil {
		return err
	}
	h.running = make(chan error, 1)
	go func(on chan error) { on <- h.c.w.do(h.ctx, callInsert, h.to, messages[0]) }(h.running)
	return nil
}

// wait waits for the running insertion.
func (h *sender) wait() error {
	if h.running == nil {
		return nil
	}
	on := h.running
	h.running = nil
	return <-on
}

// flush sends the last rows, and waits until the worker has inserted them.
func (h *sender) flush() error {
	if len(h.batches) > 0 {
		if err := h.send(); err != nil {
			return err
		}
	}
	return h.wait()
}

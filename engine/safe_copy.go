package engine

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"hindsql/engine/sandbox"
	"hindsql/tables"
)

// markOfAll returns a mark that changes when the store, or the journal of its report
// runs, changes.
func markOfAll(store string) string { return markOf(store) + "runs " + markOf(RunsPath(store)) }

// copying brings the rows in a worker up to date with the store, once.
type copying struct {
	*confined
	w     *hired
	from  *Reading
	sizes map[int64]int64 // of sources, in bytes
	moved int64           // bytes of rows handed over
}

// bytes returns the total size of the sources in states.
func (c *copying) bytes(states map[int64]string) (n int64) {
	for id := range states {
		n += c.sizes[id]
	}
	return n
}

func (c *copying) all(ctx context.Context) error {
	if err := c.decideScope(ctx); err != nil {
		return err
	}
	now, err := c.states(ctx)
	if err != nil {
		return err
	}
	if !c.w.made {
		if err := c.make(context.WithoutCancel(ctx), c.bytes(now)); err != nil {
			c.w.Kill(sandbox.Killed) // a worker with half of its tables is useless
			return err
		}
		c.w.made = true
	}
	return c.move(ctx, now)
}

func (c *copying) make(ctx context.Context, size int64) error {
	ddl, err := c.ddl(ctx, size)
	if err != nil {
		return err
	}
	return c.w.do(ctx, callMake, ddl, nil)
}

// exec runs hindsql's own SQL in the worker.
func (c *copying) exec(ctx context.Context, statement string) error {
	return c.w.do(ctx, callExec, statement, nil)
}

// textAsLogged lists the tables whose long columns no link step changes. states leaves
// these columns out of its hashes, because they are most of a store.
var textAsLogged = []string{"messages", "tool_calls"}

// states returns a hash of each source's rows in scope. A source's size and time don't
// suffice: links also change rows of sources that did not change.
func (c *copying) states(ctx context.Context) (map[int64]string, error) {
	var parts []string
	for _, t := range tables.Queried() {
		names := make([]string, 0, len(t.Columns))
		for _, column := range t.Columns {
			if !slices.Contains(textAsLogged, t.Name) || !t.IsLong(column.Name) {
				names = append(names, column.Name)
			}
		}
		parts = append(parts, fmt.Sprintf("SELECT source_id, sum(hash('%[1]s', %[2]s)::HUGEINT) AS state FROM %[3]s.%[1]s WHERE %[4]s GROUP BY source_id",
			t.Name, strings.Join(names, ", "), StoreSchema, c.scope(t)))
	}
	states := map[int64]string{}
	query := "SELECT source_id, sum(state)::VARCHAR, coalesce(any_value(size), 0) FROM (" + strings.Join(parts, " UNION ALL ") +
		") LEFT JOIN " + StoreSchema + ".sources USING (source_id) GROUP BY source_id"
	err := c.from.Each(ctx, query, func(scan func(...any) error) error {
		var id, size int64
		var state string
		err := scan(&id, &state, &size)
		states[id], c.sizes[id] = state, size
		return err
	})
	return states, err
}

// change lists the sources whose rows a refresh deletes (going) and copies (comes).
type change struct{ going, comes []int64 }

func (c *copying) differing(now map[int64]string) (d change) {
	for id, state := range now {
		if c.w.known[id] != state {
			d.comes = append(d.comes, id)
		}
	}
	for id, state := range c.w.known {
		if now[id] != state {
			d.going = append(d.going, id)
		}
	}
	slices.Sort(d.comes)
	return d
}

// move brings the copy up to date with the source. Everything happens in transactions,
// so no statement sees half of a refresh. A transaction writes to one database only, so
// the report runs have a separate transaction.
func (c *copying) move(ctx context.Context, now map[int64]string) error {
	d, runs := c.differing(now), tables.ReportRuns()
	names := []string{runs.Name}
	for _, t := range tables.Queried() {
		names = append(names, t.Name)
	}
	if err := c.w.do(ctx, callFeed, names, nil); err != nil {
		return err
	}
	err := c.moveAll(ctx, d)
	if err == nil {
		c.w.known = now
		if len(d.going) > 0 {
			_ = c.exec(ctx, "CHECKPOINT store") // frees the deleted rows, unless a statement still reads them
		}
		err = c.transaction(ctx, func() error { return c.moveRuns(ctx) })
	}
	return cmp.Or(err, c.w.do(context.WithoutCancel(ctx), callFed, c.moved >= muchMoved, nil))
}

func (c *copying) moveAll(ctx context.Context, d change) error {
	return c.transaction(ctx, func() error {
		for _, t := range tables.Queried() {
			if err := c.moveRows(ctx, t, d); err != nil {
				return fmt.Errorf("safe: %s: %w", t.Name, err)
			}
		}
		return nil
	})
}

func (c *copying) transaction(ctx context.Context, work func() error) error {
	return transactionBy(ctx, c.exec, work)
}

func (c *copying) moveRows(ctx context.Context, t *tables.Table, d change) error {
	if len(d.going) > 0 {
		if err := c.exec(ctx, fmt.Sprintf("DELETE FROM %s.%s WHERE source_id IN (%s)", StoreSchema, t.Name, strings.Join(each(d.going, "%d"), ", "))); err != nil {
			return err
		}
	}
	conditions, err := c.slices(ctx, t, d.comes)
	if err != nil {
		return err
	}
	for _, condition := range conditions {
		if err := c.copy(ctx, t, StoreSchema+"."+t.Name, StoreSchema+"."+t.Name, condition+" AND "+c.scope(t)); err != nil {
			return err
		}
	}
	return nil
}

// sliceBytes is how many bytes of logs are copied at once: DuckDB has the whole result
// in memory before it returns the first row.
const sliceBytes = 48 << 20

// sliceRows is how many rows are copied at once if all rows are copied.
const sliceRows = 15_360

// slices returns the conditions that select the rows to copy, one slice after another.
// If all rows are copied, a slice is a range of rowid, because the rows of a source lie
// scattered.
func (c *copying) slices(ctx context.Context, t *tables.Table, ids []int64) (conditions []string, err error) {
	if len(c.w.known) == 0 && len(c.bounds.Projects) == 0 {
		last := int64(-1)
		query := fmt.Sprintf("SELECT coalesce(max(rowid), -1) FROM %s.%s", StoreSchema, t.Name)
		err = c.from.Each(ctx, query, func(scan func(...any) error) error { return scan(&last) })
		for from := int64(0); from <= last; from += sliceRows {
			conditions = append(conditions, fmt.Sprintf("rowid BETWEEN %d AND %d", from, from+sliceRows-1))
		}
		return conditions, err
	}
	var slice []int64
	var bytes int64
	for i, id := range ids {
		slice, bytes = append(slice, id), bytes+c.sizes[id]
		if bytes >= sliceBytes || i == len(ids)-1 {
			conditions = append(conditions, "source_id IN ("+strings.Join(each(slice, "%d"), ", ")+")")
			slice, bytes = nil, 0
		}
	}
	return conditions, nil
}

// moveRuns copies the report runs, unless the Store is bound to projects: runs belong
// to no project.
func (c *copying) moveRuns(ctx context.Context) error {
	t := tables.ReportRuns()
	into := "memory." + ourNames + "." + t.Name
	if err := c.exec(ctx, "DELETE FROM "+into); err != nil || len(c.bounds.Projects) > 0 {
		return err
	}
	return c.copy(ctx, t, t.Name, into, "true")
}

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

// markOfAll tells a store, and the journal of its reports' runs, from what they
// were before.
func markOfAll(store string) string { return markOf(store) + "runs " + markOf(RunsPath(store)) }

// copying is one refresh of a worker.
type copying struct {
	*confined
	w     *hired
	from  *Reading
	sizes map[int64]int64 // of sources, in bytes
	moved int64           // bytes of rows that were handed over
}

// bytes is how large the sources are.
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
			c.w.Kill(sandbox.Killed) // half of the tables are nothing to go on with
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

// exec runs SQL of ours in the worker.
func (c *copying) exec(ctx context.Context, statement string) error {
	return c.w.do(ctx, callExec, statement, nil)
}

// textAsLogged are the tables whose long columns no link changes, and which are
// most of a store.
var textAsLogged = []string{"messages", "tool_calls"}

// states tells, by source, what its rows in scope are from anything else: links
// change rows of sources that did not change themselves.
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

// change is what a refresh has to do: sources whose rows go, and sources whose
// rows come.
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

// move brings the copy to what the source is now. No statement sees a part of a
// transaction, and one writes to one database: the runs have their own.
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
			_ = c.exec(ctx, "CHECKPOINT store") // frees what went, unless a statement still reads it
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

// sliceBytes is how much of the logs is copied at once: a result is whole in
// memory before its first row is to be had.
const sliceBytes = 48 << 20

// sliceRows is the same in rows.
const sliceRows = 15_360

// slices are the conditions under which rows are copied, one after the other.
// Where all are, they are so by their place: those of a source lie scattered.
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

// moveRuns copies the runs of reports, which belong to no project.
func (c *copying) moveRuns(ctx context.Context) error {
	t := tables.ReportRuns()
	into := "memory." + ourNames + "." + t.Name
	if err := c.exec(ctx, "DELETE FROM "+into); err != nil || len(c.bounds.Projects) > 0 {
		return err
	}
	return c.copy(ctx, t, t.Name, into, "true")
}

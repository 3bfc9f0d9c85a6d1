package push

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"hindsql/engine"
	"hindsql/internal/sqltext"
)

// asLogged lists tables whose long texts change only when their log does. No link
// changes them.
var asLogged = []string{"messages", "tool_calls"}

// estimated is a column that a push doesn't compare: another list of prices changes it in
// all of history. A file has the estimates of the day that it was written.
const estimated = "cost_estimated_usd"

// found is a unit (the rows of one file, see state.go) as the store has it now: its
// day, its row count, and the hashes of its rows by log.
type found struct {
	day   string
	count int64
	raw   map[int64]rows
}

// changes finds the rows that changed since the last push.
type changes struct {
	*engine.Reading
	was, next *state
	agents    map[int64]string             // agent by source id, for the logs that are pushed
	copies    map[string]map[string]*found // by table: the copies that the method units found, by unit; only tables that have copies
}

// loadSources notes the state of each log when its rows were loaded. agent is the SQL
// of an agent's name as pushed.
func (c *changes) loadSources(ctx context.Context, agent string) error {
	query := fmt.Sprintf(`SELECT source_id, %s, concat_ws(' ', size, epoch_us(modified_at), epoch_us(loaded_at), reader_version, stamp)
		FROM %s.sources SEMI JOIN %s USING (source_id)`, agent, engine.StoreSchema, pushedSources)
	return c.Each(ctx, query, func(scan func(...any) error) error {
		var id int64
		var agent, was string
		err := scan(&id, &agent, &was)
		c.agents[id], c.next.Sources[id] = agent, was
		return err
	})
}

// changedLogs returns the ids of the logs loaded since the last push.
func (c *changes) changedLogs() (ids []int64) {
	for id, was := range c.next.Sources {
		if c.was.Sources[id] != was {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// units returns an item's units as the store has them now, by name. It finds the copies
// in the same query, because reading all rows is the slowest part of a push.
func (c *changes) units(ctx context.Context, i *item) (map[string]*found, error) {
	if i.copies {
		return c.copies[i.Name], nil
	}
	units, copies := map[string]*found{}, map[string]*found{}
	c.copies[i.Name] = copies
	of := func(beside bool) map[string]*found {
		if beside && i.HasCopies() {
			return copies
		}
		return units
	}
	short := slices.Contains(asLogged, i.Name)
	err := c.hashes(ctx, i, short, "true", func(h hashed) {
		list, unit := of(h.beside), unitOf(i.Name, h.beside, h.day)
		f := list[unit]
		if f == nil {
			f = &found{day: h.day, raw: map[int64]rows{}}
			list[unit] = f
		}
		f.count += h.count
		r := rows{Brief: h.hash}
		if was := c.was.Units[unit]; was != nil {
			r.Full = was.Raw[h.source].Full
		}
		f.raw[h.source] = r
	})
	ids := c.changedLogs()
	if err != nil || !short || len(ids) == 0 {
		return units, err
	}
	where := "true"
	if len(ids) < len(c.next.Sources) {
		where = "source_id IN (" + sqltext.Numbers(ids, "%d") + ")"
	}
	return units, c.hashes(ctx, i, false, where, func(h hashed) {
		raw := of(h.beside)[unitOf(i.Name, h.beside, h.day)].raw
		raw[h.source] = rows{Brief: raw[h.source].Brief, Full: h.hash}
	})
}

// hashed is the hash and the number of one log's rows of one day: of its copied rows, or
// of all others.
type hashed struct {
	day    string
	beside bool
	source int64
	count  int64
	hash   string
}

// hashes visits the hashes of an item's rows and of their copies, by log and day. The
// hash of several rows is the sum of their hashes, so their order doesn't matter.
func (c *changes) hashes(ctx context.Context, i *item, short bool, where string, visit func(hashed)) error {
	var names []string
	for _, column := range i.Columns {
		if column.Name != estimated && (!short || !i.IsLong(column.Name)) {
			names = append(names, sqltext.Identifier(column.Name))
		}
	}
	beside := fmt.Sprint(i.beside)
	if i.HasCopies() {
		beside = "is_copy"
	}
	query := fmt.Sprintf("SELECT %s, * EXCLUDE (date) FROM (SELECT %s AS date, %s AS beside, %s AS source, count(*), %s FROM (%s) WHERE %s GROUP BY ALL HAVING count(*) > 0)",
		dayOf("date"), i.date(), beside, i.source(), sumOf(names), i.both, where)
	return c.Each(ctx, query, func(scan func(...any) error) error {
		var h hashed
		err := scan(&h.day, &h.beside, &h.source, &h.count, &h.hash)
		if err == nil {
			visit(h)
		}
		return err
	})
}

// sumOf returns the SQL of the rows' hash, as a text.
func sumOf(names []string) string {
	return "sum(hash(" + strings.Join(names, ", ") + ")::HUGEINT)::VARCHAR"
}

// isSame reports whether a unit holds the same rows as at the last push.
func (c *changes) isSame(unit string, f *found) bool {
	was := c.was.Units[unit]
	if was == nil || c.was.Options != c.next.Options || len(was.Raw) != len(f.raw) {
		return false
	}
	for source, now := range f.raw {
		if was.Raw[source] != now {
			return false
		}
	}
	return true
}

package push

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hindsql/engine"
	"hindsql/internal/sqltext"
)

// asLogged are the tables whose long texts no link changes: they are what they
// were while their log is.
var asLogged = []string{"messages", "tool_calls"}

// found is what the store has of one unit.
type found struct {
	day   string
	count int64
	raw   map[int64]rows
}

// changes tells what changed since the last push.
type changes struct {
	*engine.Reading
	was, next *state
	agents    map[int64]string             // of the logs that are pushed
	copies    map[string]map[string]*found // of tables that have some: what units gives for them
}

// loadSources notes what each log was when its rows were loaded. agent is the SQL of an agent's name as it is landed.
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

// changed are the logs that were loaded since the last push.
func (c *changes) changed() (ids []string) {
	for id, was := range c.next.Sources {
		if c.was.Sources[id] != was {
			ids = append(ids, strconv.FormatInt(id, 10))
		}
	}
	slices.Sort(ids)
	return ids
}

// units finds what the store has of an item, by unit. Copies are found together
// with the rows that are none: to look at all rows is what a push takes longest for.
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
		f.raw[h.source] = rows{Brief: h.hash, Full: c.wasFull(unit, h.source)}
	})
	ids := c.changed()
	if err != nil || !short || len(ids) == 0 {
		return units, err
	}
	where := "true"
	if len(ids) < len(c.next.Sources) {
		where = "source_id IN (" + strings.Join(ids, ", ") + ")"
	}
	return units, c.hashes(ctx, i, false, where, func(h hashed) {
		raw := of(h.beside)[unitOf(i.Name, h.beside, h.day)].raw
		raw[h.source] = rows{Brief: raw[h.source].Brief, Full: h.hash}
	})
}

// wasFull is the hash that a log's rows had with their long texts.
func (c *changes) wasFull(unit string, source int64) string {
	if u := c.was.Units[unit]; u != nil {
		return u.Raw[source].Full
	}
	return ""
}

// hashed is what a log's rows of a day, copies or others, are told by.
type hashed struct {
	day    string
	beside bool
	source int64
	count  int64
	hash   string
}

// hashes visits the hashes of an item's rows, and of their copies. Rows are told by
// the sum of their hashes, which needs no order.
func (c *changes) hashes(ctx context.Context, i *item, short bool, where string, visit func(hashed)) error {
	var names []string
	for _, column := range i.Columns {
		if !short || !i.IsLong(column.Name) {
			names = append(names, sqltext.Identifier(column.Name))
		}
	}
	source, beside := "0", fmt.Sprint(i.beside)
	if i.hasSource() {
		source = "source_id"
	}
	if i.HasCopies() {
		beside = "is_copy"
	}
	query := fmt.Sprintf("SELECT %s, * EXCLUDE (date) FROM (SELECT %s AS date, %s AS beside, %s AS source, count(*), %s FROM (%s) WHERE %s GROUP BY ALL HAVING count(*) > 0)",
		dayOf("date"), i.date(), beside, source, sumOf(names), i.both, where)
	return c.Each(ctx, query, func(scan func(...any) error) error {
		var h hashed
		err := scan(&h.day, &h.beside, &h.source, &h.count, &h.hash)
		if err == nil {
			visit(h)
		}
		return err
	})
}

// sumOf is the SQL of what rows are told by, as a text.
func sumOf(names []string) string {
	return "sum(hash(" + strings.Join(names, ", ") + ")::HUGEINT)::VARCHAR"
}

// isSame says that a unit holds what it held.
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

package push

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hindsql/engine"
	"hindsql/tables"
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

// loadSources notes what each log was when its rows were loaded.
func (m *making) loadSources(ctx context.Context) error {
	m.agents = map[int64]string{}
	query := fmt.Sprintf(`SELECT source_id, %s, concat_ws(' ', size, epoch_us(modified_at), epoch_us(loaded_at), reader_version, stamp)
		FROM %s.sources SEMI JOIN %s USING (source_id)`, m.words.redacted(tables.Identifier("agent"), "VARCHAR"), engine.StoreSchema, pushedSources)
	return m.Each(ctx, query, func(scan func(...any) error) error {
		var id int64
		var agent, was string
		err := scan(&id, &agent, &was)
		m.agents[id], m.next.Sources[id] = agent, was
		return err
	})
}

// changed are the logs that were loaded since the last push.
func (m *making) changed() (ids []string) {
	for id, was := range m.next.Sources {
		if m.was.Sources[id] != was {
			ids = append(ids, strconv.FormatInt(id, 10))
		}
	}
	slices.Sort(ids)
	return ids
}

// units finds what the store has of an item, by unit. Copies are found together
// with the rows that are none: to look at all rows is what a push takes longest for.
func (m *making) units(ctx context.Context, i *item) (map[string]*found, error) {
	if i.copies {
		return m.copies[i.Name], nil
	}
	units, copies := map[string]*found{}, map[string]*found{}
	m.copies[i.Name] = copies
	of := func(beside bool) map[string]*found {
		if beside && i.HasCopies() {
			return copies
		}
		return units
	}
	short := slices.Contains(asLogged, i.Name)
	err := m.hashes(ctx, i, short, "true", func(h hashed) {
		list, unit := of(h.beside), unitOf(i.Name, h.beside, h.day)
		f := list[unit]
		if f == nil {
			f = &found{day: h.day, raw: map[int64]rows{}}
			list[unit] = f
		}
		f.count += h.count
		f.raw[h.source] = rows{Brief: h.hash, Full: m.wasFull(unit, h.source)}
	})
	ids := m.changed()
	if err != nil || !short || len(ids) == 0 {
		return units, err
	}
	where := "true"
	if len(ids) < len(m.next.Sources) {
		where = "source_id IN (" + strings.Join(ids, ", ") + ")"
	}
	return units, m.hashes(ctx, i, false, where, func(h hashed) {
		raw := of(h.beside)[unitOf(i.Name, h.beside, h.day)].raw
		raw[h.source] = rows{Brief: raw[h.source].Brief, Full: h.hash}
	})
}

// wasFull is the hash that a log's rows had with their long texts.
func (m *making) wasFull(unit string, source int64) string {
	if u := m.was.Units[unit]; u != nil {
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
func (m *making) hashes(ctx context.Context, i *item, short bool, where string, visit func(hashed)) error {
	var names []string
	for _, c := range i.Columns {
		if !short || !i.IsLong(c.Name) {
			names = append(names, tables.Identifier(c.Name))
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
	return m.Each(ctx, query, func(scan func(...any) error) error {
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
func (m *making) isSame(unit string, f *found) bool {
	was := m.was.Units[unit]
	if was == nil || m.was.Options != m.next.Options || len(was.Raw) != len(f.raw) {
		return false
	}
	for source, now := range f.raw {
		if was.Raw[source] != now {
			return false
		}
	}
	return true
}

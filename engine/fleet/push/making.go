package push

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"hindsql/engine"
	"hindsql/engine/export"
	"hindsql/engine/fleet/landing"
	"hindsql/internal/sqltext"
	"hindsql/tables"
)

// making is a push in progress: it reads the rows and makes the files.
type making struct {
	*pushing
	*engine.Reading
	next    *state
	leaving *leaving // chooses the rows that leave
	words   *wording // chooses how their values leave
	changes *changes // what changed since the last push
	parts   []*item
	files   *shipment
	sending *sending
}

// all makes the files of all items.
func (m *making) all(ctx context.Context) (err error) {
	m.words = &wording{Options: &m.Options, machine: m.machine, host: m.st.Hostname()}
	m.next.Writer, m.next.Consent, m.next.Options, m.next.Mark = m.was.Writer, m.consent, m.options(), m.st.Mark()
	m.changes = &changes{m.Reading, m.was, m.next, map[int64]string{}, map[string]map[string]*found{}}
	if m.Texts != landing.Plain {
		if ctx, err = m.Redacting(ctx, m.Redact.Redact); err != nil {
			return err
		}
	}
	if err := m.decide(ctx); err != nil {
		return err
	}
	if err := m.changes.loadSources(ctx, m.words.redacted(sqltext.Identifier("agent"), "VARCHAR")); err != nil {
		return err
	}
	if err := m.words.loadUsers(ctx, m.Reading); err != nil {
		return err
	}
	defer m.dropTables(context.WithoutCancel(ctx))
	m.parts = items(m.leaving, m.words)
	for n, i := range m.parts {
		m.tell(i.Name, n, len(m.parts))
		if err := export.Bounded(ctx, m.Reading, func() error { return m.one(ctx, i) }); err != nil {
			return fmt.Errorf("%s: %w", i.Name, err)
		}
		if err := m.sending.failed(); err != nil {
			return err
		}
	}
	return nil
}

// decide notes which rows leave.
func (m *making) decide(ctx context.Context) error {
	l := &leaving{Rows: m.Reading, private: m.private, own: "machine = " + sqltext.Literal(m.machine)}
	m.leaving = l
	err := l.decide(ctx)
	m.next.Projects, m.next.Repositories, m.next.Unnamed = l.projects, l.repositories, l.unnamed
	m.next.Private = m.private.digest(l.projects)
	m.report.LeftOut, m.report.Unnamed = l.out, l.unnamed
	return err
}

func (m *making) dropTables(ctx context.Context) {
	_ = m.Exec(ctx, "DROP VIEW IF EXISTS "+pushedKinds)
	for _, name := range []string{pushedSources, mixedSources, privateFolders, outSessions, openSessions, pushedRows} {
		_ = m.Exec(ctx, "DROP TABLE IF EXISTS "+name)
	}
}

// one makes an item's changed files, and keeps unchanged files.
func (m *making) one(ctx context.Context, i *item) error {
	units, err := m.changes.units(ctx, i)
	if err != nil {
		return err
	}
	var dirty []*found
	for name, f := range units {
		if was := m.was.Units[name]; m.changes.isSame(name, f) && m.files.keep(was.File) {
			m.next.Units[name] = &unit{was.File, f.raw, was.Landed}
			continue
		}
		m.next.Units[name] = &unit{Raw: f.raw}
		dirty = append(dirty, f)
	}
	slices.SortFunc(dirty, func(a, b *found) int { return strings.Compare(a.day, b.day) })
	return m.inBatches(ctx, i, dirty)
}

// some makes the files of some days from pushedRows, where a day is a range of row
// numbers. DuckDB's PARTITION_BY would be a tenth faster, but may put a day's first rows
// last, even on one thread.
func (m *making) some(ctx context.Context, i *item, days []*found) error {
	landed, err := m.landed(ctx, i)
	if err != nil {
		return err
	}
	about := []string{"hindsql.machine", m.machine, "hindsql.texts", m.Texts, "hindsql.rules", m.rules()}
	first := int64(0)
	for _, f := range days {
		path := m.files.nextFile()
		from := fmt.Sprintf("%s WHERE rowid BETWEEN %d AND %d AND %s = %s", pushedRows, first, first+f.count-1, dayColumn, sqltext.Literal(f.day))
		var written int64
		if err := m.Each(ctx, i.copy(from, path, about...), func(scan func(...any) error) error { return scan(&written) }); err != nil {
			return err
		}
		if written != f.count {
			return fmt.Errorf("%s of %s: only %d of %d rows were written", i.Name, f.day, written, f.count)
		}
		if err := m.name(i, f, path, landed[f.day]); err != nil {
			return err
		}
		first += f.count
	}
	return nil
}

// content is the content of a file: its rows, and the hash of each log's rows.
type content struct {
	rows int64
	sums map[int64]string // by log
}

// landed returns the content of the files of pushedRows, by day. The files' names and
// fingerprints depend on it.
func (m *making) landed(ctx context.Context, i *item) (map[string]*content, error) {
	var names []string
	for _, c := range i.columns {
		names = append(names, sqltext.Identifier(c.Name))
	}
	source := "0"
	if i.Has("source_id") {
		source = "source_id"
	}
	found := map[string]*content{}
	query := fmt.Sprintf("SELECT %s AS day, %s AS source, count(*), %s FROM %s GROUP BY ALL", dayColumn, source, sumOf(names), pushedRows)
	err := m.Each(ctx, query, func(scan func(...any) error) error {
		var day, sum string
		var source, rows int64
		if err := scan(&day, &source, &rows, &sum); err != nil {
			return err
		}
		c := found[day]
		if c == nil {
			c = &content{sums: map[int64]string{}}
			found[day] = c
		}
		c.rows += rows
		c.sums[source] = sum
		return nil
	})
	return found, err
}

// name names a new file by its content. If the target already has the file, it isn't
// sent again. If the target's manifest lists a file of that name as superseded, a
// committer may soon delete it. The new file then gets another name.
func (m *making) name(i *item, f *found, local string, c *content) error {
	if c == nil || c.rows != f.count {
		return fmt.Errorf("%s of %s: not all of %d rows were written", i.Name, f.day, f.count)
	}
	u := m.next.Units[i.unit(f.day)]
	u.Landed = c.sums
	told := []string{i.Name, i.shape(), m.Texts, m.rules(), fmt.Sprint(c.rows)}
	for _, id := range sortedKeys(c.sums) {
		told = append(told, fmt.Sprint(id, " ", c.sums[id]))
	}
	u.File = landing.FileName(i.Name, i.beside, f.day, digest(told...))
	if m.files.keep(u.File) {
		return os.Remove(local)
	}
	if m.files.isSuperseded(u.File) {
		u.File = landing.FileName(i.Name, i.beside, f.day, digest(append(told, fmt.Sprint("again ", m.last+1))...))
	}
	file, err := m.files.add(landing.File{
		Path: u.File, Table: i.Name, Beside: i.beside, Day: f.day, Rows: c.rows,
		Schema: tables.SchemaHash(), Texts: m.Texts, Rules: m.rules(),
	}, local)
	if err == nil && !m.DryRun {
		m.sending.add(file)
	}
	return err
}

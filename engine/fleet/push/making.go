package push

import (
	"cmp"
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
		if err := m.one(ctx, i); err != nil {
			return fmt.Errorf("%s: %w", i.Name, err)
		}
	}
	return nil
}

// decide notes which rows leave.
func (m *making) decide(ctx context.Context) error {
	l := &leaving{Rows: m.Reading, private: m.private, own: ofMachine(m.machine, m.st.Hostname())}
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
	for len(dirty) > 0 {
		n, count := 1, dirty[0].count
		for n < len(dirty) && count+dirty[n].count <= rowsAtOnce {
			count, n = count+dirty[n].count, n+1
		}
		if err := m.some(ctx, i, dirty[:n]); err != nil {
			return err
		}
		dirty = dirty[n:]
	}
	return nil
}

// rowsAtOnce is the most rows held in memory before writing.
const rowsAtOnce = 20_000

// pushedRows is the temporary table with the rows of some days, as landed, in the order
// of the files.
const pushedRows = "temp.main.hindsql_push_rows"

// some makes the files of some days.
func (m *making) some(ctx context.Context, i *item, days []*found) error {
	paths, err := m.write(ctx, i, days)
	if err != nil {
		return err
	}
	landed, err := m.readBack(ctx, i, paths)
	if err != nil {
		return err
	}
	for n, f := range days {
		if err := m.name(i, f, paths[n], landed[paths[n]]); err != nil {
			return err
		}
	}
	return nil
}

// write writes the rows of some days, a file each, and returns the files' paths. One
// statement reads, redacts and sorts the rows of all the days. A day is then a range of
// row numbers. DuckDB's PARTITION_BY would be a tenth faster, but may put a day's first
// rows last, even on one thread.
func (m *making) write(ctx context.Context, i *item, days []*found) (paths []string, err error) {
	var named []string
	for _, f := range days {
		named = append(named, f.day)
		paths = append(paths, m.files.nextFile())
	}
	rows := i.landed(dayColumn + " IN (" + sqltext.Literals(named) + ")" + i.between(days))
	about := []string{"hindsql.machine", m.machine, "hindsql.texts", m.Texts, "hindsql.rules", m.rules()}
	if len(days) == 1 { // a single day needs no temporary table: its rows are read once
		return paths, m.Exec(ctx, i.copy("("+rows+")"+export.OrderBy(i.order()), paths[0], about...))
	}
	if err := m.Exec(ctx, "CREATE OR REPLACE TEMP TABLE "+pushedRows+" AS "+rows+export.OrderBy(append([]string{dayColumn}, i.order()...))); err != nil {
		return nil, err
	}
	// On small files, a second thread only waits for work, for half as much cpu again.
	if err := m.Exec(ctx, "SET threads = 1"); err != nil {
		return nil, err
	}
	defer func() { err = cmp.Or(err, m.Exec(context.WithoutCancel(ctx), "RESET threads")) }()
	first := int64(0)
	for n, f := range days {
		from := fmt.Sprintf("%s WHERE rowid BETWEEN %d AND %d AND %s = %s", pushedRows, first, first+f.count-1, dayColumn, sqltext.Literal(f.day))
		if err := m.Exec(ctx, i.copy(from, paths[n], about...)); err != nil {
			return nil, err
		}
		first += f.count
	}
	return paths, nil
}

// back is the content of a written file: its rows, and the hash of each log's rows.
type back struct {
	rows int64
	sums map[int64]string // by log
}

// readBack reads the written files again. Their names and fingerprints depend on the
// landed rows.
func (m *making) readBack(ctx context.Context, i *item, paths []string) (map[string]*back, error) {
	var names []string
	for _, c := range i.columns {
		names = append(names, sqltext.Identifier(c.Name))
	}
	source := "0"
	if i.hasSource() {
		source = "source_id"
	}
	found := map[string]*back{}
	query := fmt.Sprintf("SELECT filename, %s AS source, count(*), %s FROM read_parquet([%s], filename = true, hive_partitioning = false) GROUP BY ALL HAVING count(*) > 0",
		source, sumOf(names), sqltext.Literals(paths))
	err := m.Each(ctx, query, func(scan func(...any) error) error {
		var path, sum string
		var source, rows int64
		if err := scan(&path, &source, &rows, &sum); err != nil {
			return err
		}
		b := found[path]
		if b == nil {
			b = &back{sums: map[int64]string{}}
			found[path] = b
		}
		b.rows += rows
		b.sums[source] = sum
		return nil
	})
	return found, err
}

// name names a new file by its content. If the target already has the file, it isn't
// sent again. If the target's manifest lists a file of that name as superseded, a
// committer may soon delete it. The new file then gets another name.
func (m *making) name(i *item, f *found, local string, b *back) error {
	if b == nil || b.rows != f.count {
		return fmt.Errorf("%s of %s: not all of %d rows were written", i.Name, f.day, f.count)
	}
	u := m.next.Units[i.unit(f.day)]
	u.Landed = b.sums
	told := []string{i.Name, i.shape(), m.Texts, m.rules(), fmt.Sprint(b.rows)}
	for _, id := range sortedKeys(b.sums) {
		told = append(told, fmt.Sprint(id, " ", b.sums[id]))
	}
	u.File = landing.FileName(i.Name, i.beside, f.day, digest(told...))
	if m.files.keep(u.File) {
		return os.Remove(local)
	}
	if m.files.isSuperseded(u.File) {
		u.File = landing.FileName(i.Name, i.beside, f.day, digest(append(told, fmt.Sprint("again ", m.last+1))...))
	}
	return m.files.add(landing.File{
		Path: u.File, Table: i.Name, Beside: i.beside, Day: f.day, Rows: b.rows,
		Schema: tables.SchemaHash(), Texts: m.Texts, Rules: m.rules(),
	}, local)
}

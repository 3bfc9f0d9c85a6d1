package push

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hindsql/engine"
	"hindsql/engine/export"
	"hindsql/engine/fleet/landing"
	"hindsql/internal/lists"
	"hindsql/internal/sqltext"
	"hindsql/tables"
)

// making is a push in progress: it reads the rows and makes the files.
type making struct {
	*pushing
	*engine.Reading
	next      *state
	selection *selection    // chooses the rows that leave
	values    *landedValues // chooses how their values leave
	changes   *changes      // what changed since the last push
	parts     []*item
	files     *shipment
	sending   *sending
}

// makeItems makes the files of all items.
func (m *making) makeItems(ctx context.Context) (err error) {
	m.values = &landedValues{Options: &m.Options, machine: m.machine, host: m.st.Hostname()}
	m.next.Writer, m.next.Consent, m.next.Options, m.next.Mark = m.was.Writer, m.consent, m.options(), m.st.Mark()
	m.changes = &changes{m.Reading, m.was, m.next, map[int64]string{}, map[string]map[string]*found{}}
	if m.Texts != landing.Plain {
		if ctx, err = m.Redacting(ctx, m.Redact.Redact); err != nil {
			return err
		}
	}
	if err := m.selectRows(ctx); err != nil {
		return err
	}
	if err := m.changes.loadSources(ctx, m.values.redacted(sqltext.Identifier("agent"), "VARCHAR")); err != nil {
		return err
	}
	if err := m.values.loadUsers(ctx, m.Reading); err != nil {
		return err
	}
	defer m.dropTables(context.WithoutCancel(ctx))
	m.parts = items(m.selection, m.values)
	for n, i := range m.parts {
		m.reportProgress(i.Name, n, len(m.parts))
		if err := export.Bounded(ctx, m.Reading, func() error { return m.makeItem(ctx, i) }); err != nil {
			return fmt.Errorf("%s: %w", i.Name, err)
		}
		if err := m.sending.failure(); err != nil {
			return err
		}
	}
	return nil
}

// selectRows notes which rows leave.
func (m *making) selectRows(ctx context.Context) error {
	l := &selection{Rows: m.Reading, private: m.private, own: "machine = " + sqltext.Literal(m.machine)}
	m.selection = l
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

// makeItem makes an item's changed files, and keeps unchanged files.
func (m *making) makeItem(ctx context.Context, i *item) error {
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
	return m.makeInBatches(ctx, i, dirty)
}

// makeDays makes the files of some days from pushedRows, where a day is a range of row
// numbers. DuckDB's PARTITION_BY would be a tenth faster, but may put a day's first rows
// last, even on one thread.
func (m *making) makeDays(ctx context.Context, i *item, days []*found) error {
	landed, err := m.contents(ctx, i)
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
		if err := m.nameFile(i, f, path, landed[f.day]); err != nil {
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

// contents returns the content of the files of pushedRows, by day. The files' names and
// fingerprints depend on it.
func (m *making) contents(ctx context.Context, i *item) (map[string]*content, error) {
	names := lists.Map(i.columns, func(c column) string { return sqltext.Identifier(c.Name) })
	found := map[string]*content{}
	query := fmt.Sprintf("SELECT %s AS day, %s AS source, count(*), %s FROM %s GROUP BY ALL", dayColumn, i.source(), sumOf(names), pushedRows)
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

// nameFile names a new file by its content. If the target already has the file, it isn't
// sent again. If the target's manifest lists a file of that name as superseded, a
// committer may soon delete it. The new file then gets another name.
func (m *making) nameFile(i *item, f *found, local string, c *content) error {
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

const (
	rowsAtOnce  = 50_000 // see Options.MostSorted
	mostBatches = 32     // all batches are written at once, and each takes memory
)

// pushedRows is the temporary table with the rows of some days, as landed, in the order
// of the files.
const pushedRows = "temp.main.hindsql_push_rows"

// batchColumn is the name of the added column with the number of a row's batch.
const batchColumn = "hindsql_push_batch"

// makeInBatches makes the files of sorted days. It reads each row in the store once. Many
// rows first go to files of batches, and each batch is then sorted alone: the memory
// for a sort of all rows would grow with them.
func (m *making) makeInBatches(ctx context.Context, i *item, days []*found) (err error) {
	batches := batchesOf(days, cmp.Or(m.MostSorted, rowsAtOnce))
	folder := filepath.Join(m.files.folder, "batches")
	defer os.RemoveAll(folder)
	switch len(batches) {
	case 0:
		return nil
	case 1:
		err = m.fillPushedRows(ctx, i, i.landedQueryOfDays(days))
	default:
		err = m.writeBatches(ctx, i.landedQueryOfDays(days), batches, folder)
	}
	if err != nil {
		return err
	}
	// For few rows, a second thread only waits for work, for half as much cpu again.
	if err := m.Exec(ctx, "SET threads = 1"); err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, m.Exec(context.WithoutCancel(ctx), "RESET threads")) }()
	if len(batches) == 1 {
		return m.makeDays(ctx, i, days)
	}
	for n, batch := range batches {
		files := filepath.Join(folder, fmt.Sprintf("%s=%d", batchColumn, n))
		rows := fmt.Sprintf("SELECT * FROM read_parquet(%s, hive_partitioning = false)", sqltext.Literal(filepath.Join(files, "*.parquet")))
		if err := m.fillPushedRows(ctx, i, rows); err != nil {
			return err
		}
		if err := m.makeDays(ctx, i, batch); err != nil {
			return err
		}
		if err := os.RemoveAll(files); err != nil {
			return err
		}
	}
	return nil
}

// batchesOf divides sorted days into batches of similar size.
func batchesOf(days []*found, atOnce int64) (batches [][]*found) {
	var all, count int64
	for _, f := range days {
		all += f.count
	}
	most := max(atOnce, all/mostBatches)
	for _, f := range days {
		if last := len(batches) - 1; last >= 0 && (count+f.count <= most || last+1 == mostBatches) {
			batches[last] = append(batches[last], f)
			count += f.count
			continue
		}
		batches, count = append(batches, []*found{f}), f.count
	}
	return batches
}

// fillPushedRows fills pushedRows from a query of rows as landed.
func (m *making) fillPushedRows(ctx context.Context, i *item, rows string) error {
	return m.Exec(ctx, "CREATE OR REPLACE TEMP TABLE "+pushedRows+" AS "+rows+export.OrderBy(append([]string{dayColumn}, i.order()...)))
}

// writeBatches writes rows to a folder for each batch.
func (m *making) writeBatches(ctx context.Context, rows string, batches [][]*found, folder string) error {
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	batch := "CASE"
	for n, days := range batches[:len(batches)-1] {
		batch += fmt.Sprintf(" WHEN %s <= %s THEN %d", dayColumn, sqltext.Literal(days[len(days)-1].day), n)
	}
	batch += fmt.Sprintf(" ELSE %d END", len(batches)-1)
	return m.Exec(ctx, strings.Join([]string{
		"SET partitioned_write_flush_threshold = 20000", // rows that a thread holds; DuckDB's own is half a million
		fmt.Sprintf("COPY (SELECT *, %s AS %s FROM (%s)) TO %s (FORMAT parquet, COMPRESSION lz4, ROW_GROUP_SIZE 2048, PARTITION_BY (%[2]s))",
			batch, batchColumn, rows, sqltext.Literal(folder)),
		"RESET partitioned_write_flush_threshold"}, ";"))
}

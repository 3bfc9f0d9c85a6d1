package load

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"hindsql/engine/duck"
	"hindsql/engine/forget"
	"hindsql/engine/store"
	"hindsql/internal/sqltext"
	"hindsql/tables"
)

// rebuild makes a store from the logs, in a file beside the old store, and then puts
// the file in the old store's place. The first load, a full load and the load after a
// change of the tables use rebuild. No reader waits: others read the old store until
// the new store is whole. All rows of logs go into one transaction. DuckDB then writes
// rows while other logs are parsed, and writes no write-ahead log. Links are further
// transactions, because the first would write the rows that links update twice.
//
// Rows whose files are no longer found are carried over from the store at old; empty if
// none. ready, if not nil, is called before the new store takes its place.
func (f *File) rebuild(ctx context.Context, p plan, tell func(Progress), old string, ready func() error) (done loads, err error) {
	defer func() { _ = store.Remove(f.at.Draft()) }()
	if old == "" && ready == nil {
		// A removed store may have left its write-ahead log. It doesn't belong to the
		// new store.
		if err := store.Remove(f.at.Path); err != nil {
			return done, err
		}
	}
	l, err := openLoader(ctx, f.at, f.Config())
	if err != nil {
		return done, err
	}
	defer func() {
		done.warnings = l.warnings()
		l.close()
	}()
	l.refuse = f.Refuse
	if err := l.feedFor(tables.Loaded()); err != nil {
		return done, err
	}
	if old == f.at.Path {
		if err := f.emptyLog(ctx, l); err != nil {
			return done, err
		}
	}
	d := draft{f: f, l: l, plan: p, tell: tell, old: old}
	err = d.make(ctx)
	for !d.isFilled && d.plan.retriesByFile(ctx, err) || l.canGoOn(ctx, err) {
		if err = l.reopen(ctx, err); err == nil {
			err = d.make(ctx)
		}
	}
	done = d.done
	if err == nil && ready != nil {
		err = ready()
	}
	if err != nil {
		return done, f.at.Explain(err)
	}
	if err := f.replaceBy(ctx, f.at.Draft()); err != nil {
		return loads{}, err // the rows are lost with the draft
	}
	return done, nil
}

// draft is a store in the making, in the draft file beside the old store. Each stage of
// making it is a transaction. If a stage falls short of memory, a new DuckDB goes on
// with the rows of the stages before.
type draft struct {
	f    *File
	l    *loader
	plan plan
	tell func(Progress)
	old  string // path of the store to carry rows over from; empty if none

	done     loads
	ddl      string    // makes the tables; empty if the file began as a copy of emptyStore
	isFilled bool      // the rows of the logs are committed
	isWhole  bool      // and the carried rows, and the notes of files left aside
	asides   asideLogs // the files to leave aside
}

// make makes the draft, or goes on with it, and detaches it.
func (d *draft) make(ctx context.Context) (err error) {
	if !d.isFilled {
		err = d.begin(ctx)
	} else {
		err = d.resume(ctx)
	}
	if err == nil && !d.isWhole {
		err = d.l.transaction(ctx, func() error { return d.complete(ctx) })
		d.isWhole = err == nil
	}
	if err == nil {
		err = d.l.transaction(ctx, func() error {
			return cmp.Or(d.l.links.addPrices(ctx), d.l.links.linkLoaded(ctx, &d.plan, d.done.files), d.l.recordRowCounts(ctx))
		})
	}
	if err == nil {
		err = cmp.Or(d.l.recordMemory(ctx), d.l.exec(ctx, "DETACH DATABASE IF EXISTS old"))
	}
	if err != nil {
		return err
	}
	return d.l.detach(ctx)
}

// begin makes the draft file, and fills it with the rows of the logs.
func (d *draft) begin(ctx context.Context) (err error) {
	path := d.f.at.Draft()
	if err := store.Remove(path); err != nil {
		return err
	}
	if err := d.attach(ctx, path); err != nil {
		return err
	}
	if err := cmp.Or(os.Chmod(path, 0o600), d.attachOld(ctx)); err != nil {
		return err
	}
	if d.plan.byFile {
		err = d.fillByFile(ctx)
	} else {
		err = d.l.transaction(ctx, func() error { return d.fill(ctx) })
	}
	d.isFilled = err == nil
	return err
}

// resume attaches the filled draft to a new DuckDB.
func (d *draft) resume(ctx context.Context) error {
	return cmp.Or(d.l.attach(ctx, d.f.at.Draft()), d.l.use(ctx), d.attachOld(ctx))
}

// replaceBy moves the draft to the store's path. The old store has no write-ahead log
// any more, and only the holder of the sync lock writes to the store. Running
// statements keep reading the old file if the system allows it. New statements read the
// new file.
func (f *File) replaceBy(ctx context.Context, draft string) error {
	release, err := f.db.ClaimFile(ctx, rebuildTurn, func() error { return f.at.Replace(draft) })
	if err == nil {
		release()
		return nil
	}
	if ctx.Err() != nil {
		return err
	}
	return f.at.Replace(draft)
}

// fill loads the logs, inside a transaction. Without rows to carry over, the same
// transaction completes the draft.
func (d *draft) fill(ctx context.Context) (err error) {
	d.asides, d.isWhole = asideLogs{}, false
	d.done, err = load(ctx, d.plan.load, true, d.tell,
		func() error { return d.create(ctx) },
		func(u *unit) error {
			d.asides.add(u.asideLogs)
			return d.l.insert(ctx, u.batch)
		})
	if err == nil && d.old == "" {
		err = d.complete(ctx)
		d.isWhole = err == nil
	}
	return err
}

// complete adds the rest of a new store: the rows carried over, and the files left
// aside.
func (d *draft) complete(ctx context.Context) error {
	l := d.l
	err := l.exec(ctx, "INSERT INTO pending_links SELECT source_id FROM sources; UPDATE store_info SET forgotten = nullif("+sqltext.Literal(d.plan.listed)+", '')")
	if err == nil && d.old != "" {
		if err = carryOver(ctx, l, d.plan.load); err == nil {
			err = l.markGone(ctx, d.plan)
		}
	}
	if err != nil {
		return err
	}
	if err := l.quarantine.recordAll(ctx, d.asides); err != nil || !d.plan.hasNewlyUnresponsive() {
		return err
	}
	return l.quarantine.recordNewlyUnresponsive(ctx, &d.plan)
}

// retriesByFile reports whether the load is to be repeated with a transaction for each
// unit, because DuckDB refused some rows or fell short of memory. It returns true only
// once.
func (p *plan) retriesByFile(ctx context.Context, err error) bool {
	var link *stepError
	if p.byFile || ctx.Err() != nil || !byStatement(err) || errors.As(err, &link) {
		return false
	}
	p.byFile = true
	return true
}

// fillByFile is fill with a transaction for each unit. If DuckDB refuses a unit's rows,
// each file of the unit gets a transaction.
func (d *draft) fillByFile(ctx context.Context) (err error) {
	l := d.l
	insert := func(work func() error) error {
		err := l.transaction(ctx, work)
		for err != nil && ctx.Err() == nil {
			isShort := l.isOutOfMemory(err)
			if again := cmp.Or(l.reopen(ctx, err), d.resume(ctx)); again != nil || !isShort {
				return errors.Join(err, again)
			}
			err = l.transaction(ctx, work)
		}
		return err
	}
	d.asides, d.isWhole = asideLogs{}, false
	d.done, err = load(ctx, d.plan.load, false, d.tell,
		func() error { return insert(func() error { return d.create(ctx) }) },
		func(u *unit) error {
			d.asides.add(u.asideLogs)
			err := insert(func() error { return l.insert(ctx, u.batch) })
			if err != nil && ctx.Err() == nil && byStatement(err) {
				var refused asideLogs
				refused, err = l.quarantine.insertSingly(ctx, u, insert)
				d.asides.add(refused)
			}
			return err
		})
	return err
}

// attachOld attaches the store to carry rows over from, if there is one.
func (d *draft) attachOld(ctx context.Context) error {
	if d.old == "" {
		return nil
	}
	return d.l.attachOld(ctx, d.old)
}

// emptyLog moves rows that a killed process left in the store's write-ahead log into
// the store's file, because the log must not outlive the file.
func (f *File) emptyLog(ctx context.Context, l *loader) error {
	if !store.Exists(f.at.WAL()) {
		return nil
	}
	release, err := f.db.ClaimFile(ctx, laterTurn, func() error { return l.attach(ctx, f.at.Path) })
	if err != nil {
		return f.at.Explain(err)
	}
	defer release()
	return f.at.Explain(l.detach(ctx))
}

// create makes the tables, their descriptions and the macros of a new store, before the
// first row.
func (d *draft) create(ctx context.Context) error {
	if d.ddl == "" {
		return d.l.use(ctx)
	}
	return d.l.exec(ctx, d.ddl)
}

// rebuildDamaged makes the store anew from the logs and from the readable rows of the
// damaged store. It sets the damaged file aside.
func (f *File) rebuildDamaged(ctx context.Context, p plan, tell func(Progress)) (done loads, report *Salvage, err error) {
	report = &Salvage{Aside: f.at.DamagedName(time.Now())}
	old := f.at.Saved()
	defer func() { _ = store.Remove(f.at.Saved()) }()
	if err := store.Remove(old); err != nil {
		return done, report, err
	}
	if err := f.salvage(ctx, p, report); err != nil {
		return done, report, f.at.Explain(err)
	}
	if report.Err != nil {
		old = ""
	}
	done, err = f.rebuild(ctx, p, tell, old, func() error { return f.at.LinkOrMove(report.Aside) })
	return done, report, err
}

// carryOver copies the rows of sources that weren't loaded from the store attached as
// old, in the columns that both builds know.
func carryOver(ctx context.Context, l *loader, loaded []foundLog) error {
	if err := cmp.Or(l.exec(ctx, "CREATE OR REPLACE TEMP TABLE were_here AS SELECT source_id FROM sources"), findReplaced(ctx, l)); err != nil {
		return err
	}
	for _, t := range tables.Loaded() {
		if t.Name == "sources" || t == tables.ForgottenLogs() { // sources comes last; forgotten_logs is about existing logs
			continue
		}
		if err := carryTable(ctx, l, t); err != nil {
			return err
		}
	}
	if err := l.exec(ctx, "INSERT INTO pending_links SELECT source_id FROM old."+tables.Schema+".sources WHERE "+isCarried); err != nil {
		return err
	}
	if err := cmp.Or(carryTable(ctx, l, tables.Sources()), losses{l}.carry(ctx, loaded)); err != nil {
		return err
	}
	return cmp.Or(forget.DeleteRows(ctx, l.conn, l.at, "SELECT source_id FROM sources WHERE source_id NOT IN (FROM were_here)"), l.exec(ctx, dropEmptied))
}

// isCarried is the SQL condition of rows whose source wasn't loaded.
const isCarried = "source_id NOT IN (SELECT source_id FROM sources UNION ALL SELECT source_id FROM forgotten_logs UNION ALL FROM replaced)"

// findReplaced finds the sources of the old store whose logs were loaded under other ids:
// a log that had moved, and whose record in the old store is unreadable.
func findReplaced(ctx context.Context, l *loader) error {
	query := fmt.Sprintf("FROM old.%s.sources o JOIN sources n ON n.agent = o.agent AND n.machine = o.machine AND n.path = o.path AND n.part IS NOT DISTINCT FROM o.part", tables.Schema)
	had, err := storedColumns(ctx, l, "old", "sources")
	for _, name := range []string{"source_id", "agent", "machine", "path", "part"} {
		if !slices.Contains(had, name) {
			query = "FROM sources o WHERE false"
		}
	}
	return cmp.Or(err, l.exec(ctx, "CREATE OR REPLACE TEMP TABLE replaced AS SELECT o.source_id "+query))
}

func carryTable(ctx context.Context, l *loader, t *tables.Table) error {
	return carryRows(ctx, l, "old", t, "source_id", isCarried)
}

// carryRows copies rows of the store attached as database under the id of a source, an
// expression in SQL, in the columns that both builds know.
func carryRows(ctx context.Context, l *loader, database string, t *tables.Table, source, where string) error {
	had, err := storedColumns(ctx, l, database, t.Name)
	if err != nil || !slices.Contains(had, "source_id") {
		return err
	}
	both := []string{source + " AS source_id"}
	for _, c := range t.Columns {
		if slices.Contains(had, c.Name) && c.Name != "source_id" {
			// A value that the column's new type doesn't take must not end every load.
			both = append(both, fmt.Sprintf("TRY_CAST(%s AS %s) AS %s", tables.ValidCountSQL(t.Name, c.Name, sqltext.Identifier(c.Name)), c.Type, sqltext.Identifier(c.Name)))
		}
	}
	return l.exec(ctx, fmt.Sprintf("INSERT INTO %s BY NAME SELECT %s FROM %s.%s.%s WHERE %s", t.Name, strings.Join(both, ", "), database, tables.Schema, t.Name, where))
}

// storedColumns returns the columns of a table in an attached store; empty if the table is
// missing.
func storedColumns(ctx context.Context, l *loader, database, table string) ([]string, error) {
	return duck.Column[string](ctx, l.conn, "SELECT column_name FROM duckdb_columns() WHERE database_name = ? AND schema_name = ? AND table_name = ? ORDER BY column_index", database, tables.Schema, table)
}

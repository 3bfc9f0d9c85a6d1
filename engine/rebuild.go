package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

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
func (f *file) rebuild(ctx context.Context, p plan, tell func(Progress), old string, ready func() error) (done loads, err error) {
	defer func() { _ = store.Remove(f.in.at.Draft()) }()
	if old == "" && ready == nil {
		// A removed store may have left its write-ahead log. It doesn't belong to the
		// new store.
		if err := store.Remove(f.in.at.Path); err != nil {
			return done, err
		}
	}
	l, err := openLoader(ctx, f.in.at.Path, f.in.settings.get())
	if err != nil {
		return done, err
	}
	defer func() {
		done.warnings = l.warnings()
		l.close()
	}()
	l.refuse, l.worktrees = f.refuse, f.in.worktrees()
	if err := l.feedFor(tables.Loaded()); err != nil {
		return done, err
	}
	if old == f.in.at.Path {
		if err := f.emptyLog(ctx, l); err != nil {
			return done, err
		}
	}
	d := draft{f: f, l: l, plan: p, tell: tell, old: old}
	err = d.make(ctx)
	for !d.isFilled && d.plan.goesByFile(ctx, err) || l.canGoOn(ctx, err) {
		if err = l.reopen(ctx, f.in.at.Path, err); err == nil {
			err = d.make(ctx)
		}
	}
	done = d.done
	if err == nil && ready != nil {
		err = ready()
	}
	if err != nil {
		return done, f.in.at.Explain(err)
	}
	if err := f.replaceBy(ctx, f.in.at.Draft()); err != nil {
		return loads{}, err // the rows are lost with the draft
	}
	return done, nil
}

// draft is a store in the making, in the draft file beside the old store. Each stage of
// making it is a transaction. If a stage falls short of memory, a new DuckDB goes on
// with the rows of the stages before.
type draft struct {
	f    *file
	l    *loader
	plan plan
	tell func(Progress)
	old  string // path of the store to carry rows over from; empty if none

	done     loads
	isFilled bool // the rows of the logs are committed
	isWhole  bool // and the carried rows, and the notes of files left aside
	rest     left // the files to leave aside
}

// make makes the draft, or goes on with it, and detaches it.
func (d *draft) make(ctx context.Context) (err error) {
	if !d.isFilled {
		err = d.begin(ctx)
	} else {
		err = d.resume(ctx)
	}
	if err == nil && !d.isWhole {
		err = d.l.transaction(ctx, func() error { return d.l.complete(ctx, d.plan, d.rest, d.old != "") })
		d.isWhole = err == nil
	}
	if err == nil {
		link := d.l.links.linkApart
		if d.done.files == len(d.plan.load) {
			link = func(ctx context.Context) error {
				return d.l.links.linkAll(ctx, d.plan, d.f.in.settings.get().machine())
			}
		}
		err = d.l.transaction(ctx, func() error { return cmp.Or(d.l.links.stock(ctx), link(ctx), d.l.noteRows(ctx)) })
	}
	if err == nil {
		err = cmp.Or(d.l.remember(ctx), d.l.exec(ctx, "DETACH DATABASE IF EXISTS old"))
	}
	if err != nil {
		return err
	}
	return d.l.detach(ctx)
}

// begin makes the draft file, and fills it with the rows of the logs.
func (d *draft) begin(ctx context.Context) (err error) {
	path := d.f.in.at.Draft()
	if err := cmp.Or(store.Remove(path), d.l.attach(ctx, path), os.Chmod(path, 0o600), d.attachOld(ctx)); err != nil {
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
	return cmp.Or(d.l.attach(ctx, d.f.in.at.Draft()), d.l.use(ctx), d.attachOld(ctx))
}

// replaceBy moves the draft to the store's path. The old store has no write-ahead log
// any more, and only the holder of the sync lock writes to the store. Running
// statements keep reading the old file if the system allows it. New statements read the
// new file.
func (f *file) replaceBy(ctx context.Context, draft string) error {
	release, err := f.in.takeTurn(ctx, turnOfRebuild, func() error { return f.in.at.Replace(draft) })
	if err == nil {
		release()
		return nil
	}
	if ctx.Err() != nil {
		return err
	}
	return f.in.at.Replace(draft)
}

// fill loads the logs, inside a transaction. Without rows to carry over, the same
// transaction completes the draft.
func (d *draft) fill(ctx context.Context) (err error) {
	d.rest, d.isWhole = left{}, false
	d.done, err = load(ctx, d.plan.load, true, d.tell,
		func() error { return d.l.create(ctx) },
		func(u *unit) error {
			d.rest.add(u)
			return d.l.insert(ctx, u.batch)
		})
	if err == nil && d.old == "" {
		err = d.l.complete(ctx, d.plan, d.rest, false)
		d.isWhole = err == nil
	}
	return err
}

// complete adds the rest of a new store: the rows carried over, and the files left
// aside.
func (l *loader) complete(ctx context.Context, p plan, rest left, carry bool) error {
	err := l.exec(ctx, "INSERT INTO pending_links SELECT source_id FROM sources; UPDATE store_info SET forgotten = nullif("+sqltext.Literal(p.listed)+", '')")
	if err == nil && carry {
		if err = carryOver(ctx, l); err == nil {
			err = l.markGone(ctx, p)
		}
	}
	if err != nil {
		return err
	}
	if err := l.asides.leaveAll(ctx, rest); err != nil || !p.fellSilent() {
		return err
	}
	return l.asides.leaveSilenced(ctx, &p)
}

// goesByFile reports whether the load is to be repeated with a transaction for each
// unit, because DuckDB refused some rows or fell short of memory. It returns true only
// once.
func (p *plan) goesByFile(ctx context.Context, err error) bool {
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
			isShort := l.lacksMemory(err)
			if again := cmp.Or(l.reopen(ctx, d.f.in.at.Path, err), d.resume(ctx)); again != nil || !isShort {
				return errors.Join(err, again)
			}
			err = l.transaction(ctx, work)
		}
		return err
	}
	d.rest, d.isWhole = left{}, false
	d.done, err = load(ctx, d.plan.load, false, d.tell,
		func() error { return insert(func() error { return l.create(ctx) }) },
		func(u *unit) error {
			d.rest.add(u)
			err := insert(func() error { return l.insert(ctx, u.batch) })
			if err != nil && ctx.Err() == nil && byStatement(err) {
				var refused []aside
				refused, err = l.asides.alone(ctx, u, insert)
				d.rest.asides = append(d.rest.asides, refused...)
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
	return d.f.in.at.Retry(ctx, time.Now().Add(patienceOfAll), func() error {
		return d.l.exec(ctx, fmt.Sprintf("ATTACH %s AS old (READ_ONLY)", sqltext.Literal(d.old)))
	})
}

// emptyLog moves rows that a killed process left in the store's write-ahead log into
// the store's file, because the log must not outlive the file.
func (f *file) emptyLog(ctx context.Context, l *loader) error {
	if !store.Exists(f.in.at.WAL()) {
		return nil
	}
	release, err := f.in.takeTurn(ctx, laterTurn, func() error { return l.attach(ctx, f.in.at.Path) })
	if err != nil {
		return f.in.at.Explain(err)
	}
	defer release()
	return f.in.at.Explain(l.detach(ctx))
}

// create makes the tables, their descriptions and the macros of a new store, before the
// first row.
func (l *loader) create(ctx context.Context) error {
	if err := createTables(ctx, l.conn, l.worktrees); err != nil {
		return err
	}
	if err := describeTables(ctx, l.conn); err != nil {
		return err
	}
	if err := l.use(ctx); err != nil {
		return err
	}
	return createMacros(ctx, l.conn, l.worktrees, l.config.Readers)
}

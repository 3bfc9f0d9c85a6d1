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
// the new store is whole. All rows go into one transaction. DuckDB then writes rows
// while other logs are parsed, and writes no write-ahead log. Links are a second
// transaction, because the first would write the rows that links update twice.
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
	done, err = f.makeDraft(ctx, l, p, tell, old)
	for l.canGoOn(ctx, err) || p.goesByFile(ctx, err) {
		if err = cmp.Or(l.reopen(ctx, f.in.at.Path), store.Remove(f.in.at.Draft())); err == nil {
			done, err = f.makeDraft(ctx, l, p, tell, old)
		}
	}
	if err == nil && ready != nil {
		err = ready()
	}
	if err != nil {
		return done, f.in.at.Explain(err)
	}
	return done, f.replaceBy(ctx, f.in.at.Draft())
}

// makeDraft makes a store in the draft file, beside the old store, and detaches the
// draft.
func (f *file) makeDraft(ctx context.Context, l *loader, p plan, tell func(Progress), old string) (done loads, err error) {
	if err := cmp.Or(l.attach(ctx, f.in.at.Draft()), os.Chmod(f.in.at.Draft(), 0o600)); err != nil {
		return done, err
	}
	carry := old != ""
	p.old = old
	if carry {
		if err := f.attachOld(ctx, l, old); err != nil {
			return done, err
		}
	}
	if p.byFile {
		done, err = f.fillByFile(ctx, l, p, tell, carry)
	} else {
		err = l.transaction(ctx, func() error {
			done, err = l.fill(ctx, p, tell, carry)
			return err
		})
	}
	if err == nil {
		link := l.links.link
		if done.files == len(p.load) {
			link = func(ctx context.Context) error { return l.links.linkAll(ctx, p, f.in.settings.get().machine()) }
		}
		err = l.transaction(ctx, func() error { return cmp.Or(link(ctx), l.noteRows(ctx)) })
	}
	if err == nil {
		err = l.remember(ctx)
	}
	if err == nil && carry {
		err = l.exec(ctx, "DETACH old")
	}
	if err == nil {
		err = l.detach(ctx)
	}
	return done, err
}

// replaceBy moves the draft to the store's path. The old store has no write-ahead log
// any more, and only the holder of the sync lock writes to the store. Running
// statements keep reading the old file if the system allows it. New statements read the
// new file.
func (f *file) replaceBy(ctx context.Context, draft string) error {
	release, err := f.in.takeTurn(ctx, laterTurn, func() error { return os.Rename(draft, f.in.at.Path) })
	if err == nil {
		release()
		return nil
	}
	if ctx.Err() != nil {
		return err
	}
	return os.Rename(draft, f.in.at.Path)
}

func (l *loader) fill(ctx context.Context, p plan, tell func(Progress), carry bool) (loads, error) {
	var rest left
	done, err := load(ctx, p.load, true, tell,
		func() error { return l.create(ctx) },
		func(u *unit) error {
			rest.add(u)
			return l.insert(ctx, u.batch)
		})
	if err != nil {
		return done, err
	}
	return done, l.complete(ctx, p, rest, carry)
}

// complete adds the rest of a new store: the rows carried over, and the files left
// aside.
func (l *loader) complete(ctx context.Context, p plan, rest left, carry bool) error {
	err := l.exec(ctx, "INSERT INTO pending_links SELECT source_id FROM sources")
	if err == nil && carry {
		if err = (&carrier{l}).carryOver(ctx); err == nil {
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
// unit, because DuckDB refused some rows. It returns true only once.
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
func (f *file) fillByFile(ctx context.Context, l *loader, p plan, tell func(Progress), carry bool) (loads, error) {
	insert := func(work func() error) error {
		err := l.transaction(ctx, work)
		if err != nil && ctx.Err() == nil {
			err = errors.Join(err, l.reopen(ctx, f.in.at.Path), l.attach(ctx, f.in.at.Draft()), l.use(ctx))
		}
		return err
	}
	var rest left
	done, err := load(ctx, p.load, false, tell,
		func() error { return insert(func() error { return l.create(ctx) }) },
		func(u *unit) error {
			rest.add(u)
			err := insert(func() error { return l.insert(ctx, u.batch) })
			if err != nil && ctx.Err() == nil && byStatement(err) {
				var refused []aside
				refused, err = l.asides.alone(ctx, u, insert)
				rest.asides = append(rest.asides, refused...)
			}
			return err
		})
	if err == nil && carry {
		// A DuckDB that was restarted has forgotten the old store.
		if err = l.exec(ctx, "DETACH DATABASE IF EXISTS old"); err == nil {
			err = f.attachOld(ctx, l, p.old)
		}
	}
	if err != nil {
		return done, err
	}
	return done, l.transaction(ctx, func() error { return l.complete(ctx, p, rest, carry) })
}

func (f *file) attachOld(ctx context.Context, l *loader, old string) error {
	return f.in.at.Retry(ctx, time.Now().Add(patienceOfAll), func() error {
		return l.exec(ctx, fmt.Sprintf("ATTACH %s AS old (READ_ONLY)", sqltext.Literal(old)))
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

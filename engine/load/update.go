package load

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"hindsql/engine/duck"
	"hindsql/engine/load/moves"
	"hindsql/engine/rowdiff"
	"hindsql/internal/sqltext"
	"hindsql/tables"
)

// update brings an existing store up to date. Each load unit is written in one
// transaction, and others can read between two transactions. A file's rows are replaced
// all at once.
func (f *File) update(ctx context.Context, p plan, tell func(Progress)) (done loads, err error) {
	var l *loader
	defer func() {
		done.warnings = l.warnings()
		go l.close() // no caller waits for the close
	}()
	begin := func() (err error) { // while the first logs are parsed
		if l, err = openLoader(ctx, f.at, f.Config()); err != nil {
			return err
		}
		if l.refuse = f.Refuse; !p.marks() && len(p.touched) == 0 {
			return nil
		}
		return f.write(ctx, l, f.firstTurn(), func() error { return cmp.Or(l.markGone(ctx, p), l.touch(ctx, p.touched)) })
	}
	turn, files, wrote, linked := f.firstTurn(), 0, false, false
	done, err = load(ctx, p.load, false, tell, begin, func(u *unit) error {
		var work []func() error
		if !u.isKnown() {
			work = append(work, func() error { return l.storeUnit(ctx, u) })
		}
		if files += u.count(); files == len(p.load) && len(work) > 0 {
			work = append(work, func() error { return l.links.linkLoaded(ctx, &p, files) }) // while the store is attached
			linked = true
		}
		if len(work) == 0 {
			return nil
		}
		wrote = true
		err := f.writeUnit(ctx, l, turn, u, work)
		turn = laterTurn
		return err
	})
	if err == nil && p.hasNewlyUnresponsive() {
		if err = l.feedFor(tables.Loaded()); err == nil {
			err = f.write(ctx, l, turn, func() error { return l.quarantine.recordNewlyUnresponsive(ctx, &p) })
		}
	}
	if err != nil || linked {
		return done, err
	}
	if done.files == len(p.load) && !wrote && !p.marks() && !p.unlinked {
		return done, nil // all planned logs are still unreadable
	}
	return done, f.write(ctx, l, turn, func() error { return l.links.linkLoaded(ctx, &p, done.files) })
}

// writeUnit writes a unit, and then does the other work. If DuckDB refuses the unit's
// rows, writeUnit tries the files one by one.
func (f *File) writeUnit(ctx context.Context, l *loader, t duck.Turn, u *unit, work []func() error) error {
	if err := l.feedFor(u.tables()); err != nil {
		return err
	}
	err := f.write(ctx, l, t, joined(work))
	var link *stepError
	if err == nil || ctx.Err() != nil || !byStatement(err) || errors.As(err, &link) || len(u.files) == 0 {
		return err
	}
	if err := cmp.Or(l.reopen(ctx, err), l.feedFor(tables.Loaded())); err != nil {
		return err
	}
	insert := func(work func() error) error {
		err := f.writeUnexplained(ctx, l, laterTurn, []func() error{work})
		if err != nil && ctx.Err() == nil {
			err = errors.Join(err, l.reopen(ctx, err))
		}
		return err
	}
	refused, err := l.quarantine.insertSingly(ctx, u, insert)
	if err != nil {
		return f.at.Explain(err)
	}
	refused.add(u.asideLogs)
	rest := append([]func() error{func() error { return l.quarantine.recordAll(ctx, refused) }}, work[1:]...)
	return f.write(ctx, l, laterTurn, rest...)
}

// joined makes one piece of the work with a unit. The links delete the rows of
// former_sessions and pending_links that the unit adds. In one transaction such rows
// never reach the tables, where each column would cost a block of 256 KB at the commit.
func joined(work []func() error) func() error {
	return func() (err error) {
		for i := 0; err == nil && i < len(work); i++ {
			err = work[i]()
		}
		return err
	}
}

// storeUnit stores the rows of a unit, and records its set-aside and unresponsive logs.
func (l *loader) storeUnit(ctx context.Context, u *unit) error {
	if err := l.replace(ctx, u.batch, u.files); err != nil {
		return err
	}
	return l.quarantine.recordAll(ctx, u.asideLogs)
}

// replace replaces all rows of a batch's files by the rows of the batch. Of a table with
// many rows it writes only the difference, see writeDifference, and of a single row only the
// changed columns, see updateColumns. logs lists the files; nil if the store has no rows of
// them.
func (l *loader) replace(ctx context.Context, b *tables.Batch, logs []foundLog) error {
	if len(b.Sources()) == 0 {
		return l.insert(ctx, b)
	}
	list := sqltext.Numbers(b.Sources(), "%d")
	held, err := l.prepareToReplace(ctx, list)
	if err = cmp.Or(err, losses{l}.keep(ctx, b, logs, held)); err != nil {
		return err
	}
	err = l.eachTable(ctx, b, func(ctx context.Context, t *tables.Table, records []arrow.RecordBatch) error {
		switch {
		case !slices.Contains(held, t.Name):
		case rowdiff.CountRows(records) > leastCompared:
			return l.writeDifference(ctx, t, list, records)
		default:
			if done, err := l.updateColumns(ctx, t, list, records); done || err != nil {
				return err
			}
			if err := l.exec(ctx, fmt.Sprintf("DELETE FROM %s WHERE source_id IN (%s)", t.Name, list)); err != nil {
				return err
			}
		}
		return l.insertInto(ctx, t, records)
	})
	if err != nil {
		return err
	}
	return l.links.addPending(ctx, b.Sources())
}

// write takes the store for some work. Each piece of work is a transaction. If the
// loader runs out of memory, write repeats the piece with more memory.
func (f *File) write(ctx context.Context, l *loader, t duck.Turn, work ...func() error) error {
	return f.at.Explain(f.writeUnexplained(ctx, l, t, work))
}

// writeUnexplained is write, with DuckDB's own error.
func (f *File) writeUnexplained(ctx context.Context, l *loader, t duck.Turn, work []func() error) error {
	left, err := f.attempt(ctx, l, t, work)
	for l.canGoOn(ctx, err) {
		if err = l.reopen(ctx, err); err == nil {
			left, err = f.attempt(ctx, l, laterTurn, left)
		}
	}
	return err
}

// attempt tries write once. It returns the work that isn't committed.
func (f *File) attempt(ctx context.Context, l *loader, t duck.Turn, work []func() error) (left []func() error, err error) {
	release, err := f.db.ClaimFile(ctx, t, func() error { return l.attach(ctx, f.at.Path) })
	if err != nil {
		return work, err
	}
	defer release()
	err = cmp.Or(l.use(ctx), l.restoreMemory(ctx))
	for err == nil && len(work) > 0 {
		record := l.recordRowCounts
		if len(work) > 1 {
			record = l.clearRowCounts
		}
		if err = l.transaction(ctx, func() error { return cmp.Or(work[0](), record(ctx)) }); err == nil {
			work = work[1:]
		}
	}
	if err == nil {
		err = l.recordMemory(ctx)
	}
	if detachErr := l.detach(ctx); err == nil {
		err = detachErr // an error of the checkpoint
	}
	return work, err
}

// markGone records the vanished files, the returned files and the moved files. Either of the
// first two may decide which of two files keeps a session id, so both are linked anew.
func (l *loader) markGone(ctx context.Context, p plan) error {
	set := func(ids []int64, value string) error {
		if len(ids) == 0 {
			return nil
		}
		return l.exec(ctx, fmt.Sprintf("UPDATE sources SET gone_at = %s WHERE source_id IN (%s)", value, sqltext.Numbers(ids, "%d")))
	}
	if len(p.moved) > 0 {
		if err := l.exec(ctx, moves.SQL(p.moved)); err != nil {
			return err
		}
	}
	if err := l.removeAndRelink(ctx, p.dropped); err != nil {
		return err
	}
	if err := set(p.gone, sqltext.Timestamp(time.Now())+", unread_since = NULL"); err != nil {
		return err
	}
	if err := l.quarantine.deleteProblems(ctx, p.gone); err != nil {
		return err
	}
	if err := set(p.back, "NULL"); err != nil {
		return err
	}
	if err := cmp.Or(l.quarantine.markUnresponsive(ctx, p.unresponsive), l.quarantine.markUnread(ctx, p.responsive, "NULL")); err != nil {
		return err
	}
	return l.links.addPending(ctx, append(slices.Clone(p.gone), p.back...))
}

// touch records the size, time and stamp of changed files whose rows are all their parts',
// and the state of their neighbours.
func (l *loader) touch(ctx context.Context, touched []foundLog) error {
	for _, f := range touched {
		statements := []string{fmt.Sprintf("UPDATE sources SET size = %d, modified_at = %s, stamp = %s WHERE source_id = %d", f.source.Size, sqltext.Timestamp(f.source.ModifiedAt), sqltext.Literal(f.source.Stamp), f.id)}
		for _, n := range f.near {
			size, at := "NULL", "NULL"
			if n.Exists && n.WasRead {
				size, at = fmt.Sprint(n.Size), sqltext.Timestamp(n.ModifiedAt)
			}
			statements = append(statements, fmt.Sprintf("UPDATE neighbours SET existed = %t, size = %s, modified_at = %s WHERE source_id = %d AND path = %s", n.Exists, size, at, f.id, sqltext.Literal(n.Path)))
		}
		if err := l.exec(ctx, strings.Join(statements, "; ")); err != nil {
			return err
		}
	}
	return nil
}

// addPending records that sources are to be linked.
func (k *linker) addPending(ctx context.Context, sources []int64) error {
	if len(sources) == 0 {
		return nil
	}
	return k.l.exec(ctx, "INSERT INTO pending_links VALUES "+sqltext.Numbers(sources, "(%d)"))
}

// NameRows writes this machine's name into the rows of this machine: the name may have
// changed since the load.
func (f *File) NameRows(ctx context.Context) error {
	c := f.Config()
	name, machine := sqltext.Literal(c.Hostname), sqltext.Literal(c.Machine)
	return f.Write(ctx, func(w *Writer) error {
		for _, t := range tables.All() {
			if t.View != "" || !t.Has("host") {
				continue
			}
			if err := w.l.exec(ctx, fmt.Sprintf("UPDATE %s SET host = nullif(%s, '') WHERE machine = %s AND host IS DISTINCT FROM nullif(%[2]s, '')", t.Name, name, machine)); err != nil {
				return err
			}
		}
		return nil
	})
}

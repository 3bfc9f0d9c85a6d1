package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"hindsql/engine/rowdiff"
	"hindsql/internal/sqltext"
	"hindsql/tables"
)

// update brings an existing store up to date. Each load unit is written in one
// transaction, and others can read between two transactions. A file's rows are replaced
// all at once.
func (f *file) update(ctx context.Context, p plan, tell func(Progress)) (done loads, err error) {
	var l *loader
	defer func() {
		done.warnings = l.warnings()
		go l.close() // no caller waits for the close
	}()
	begin := func() (err error) { // while the first logs are parsed
		if l, err = openLoader(ctx, f.in.at.Path, f.in.settings.get()); err != nil {
			return err
		}
		if l.refuse = f.refuse; !p.marks() && len(p.touched) == 0 {
			return nil
		}
		return f.write(ctx, l, f.firstTurn(), func() error { return cmp.Or(l.markGone(ctx, p), l.touch(ctx, p.touched)) })
	}
	link := func() error { return l.links.linkApart(ctx) }
	linkAll := func() error { return l.links.linkAll(ctx, p, f.in.settings.get().machine()) }
	turn, files, wrote, linked := f.firstTurn(), 0, false, false
	done, err = load(ctx, p.load, false, tell, begin, func(u *unit) error {
		var work []func() error
		if !u.isKnown() {
			work = append(work, func() error { return l.take(ctx, u) })
		}
		if files += u.count(); files == len(p.load) && len(work) > 0 {
			work, linked = append(work, linkAll), true // while the store is attached
		}
		if len(work) == 0 {
			return nil
		}
		wrote = true
		err := f.writeUnit(ctx, l, turn, u, work)
		turn = laterTurn
		return err
	})
	if err == nil && p.fellSilent() {
		if err = l.feedFor(tables.Loaded()); err == nil {
			err = f.write(ctx, l, turn, func() error { return l.asides.leaveSilenced(ctx, &p) })
		}
	}
	if err != nil || linked {
		return done, err
	}
	if done.files == len(p.load) {
		link = linkAll
		if !wrote && !p.marks() && !p.unlinked {
			return done, nil // all planned logs are still unreadable
		}
	}
	return done, f.write(ctx, l, turn, link)
}

// writeUnit writes a unit, and then does the other work. If DuckDB refuses the unit's
// rows, writeUnit tries the files one by one.
func (f *file) writeUnit(ctx context.Context, l *loader, t turn, u *unit, work []func() error) error {
	if err := l.feedFor(u.tables()); err != nil {
		return err
	}
	err := f.write(ctx, l, t, joined(work))
	var link *stepError
	if err == nil || ctx.Err() != nil || !byStatement(err) || errors.As(err, &link) || len(u.files) == 0 {
		return err
	}
	if err := cmp.Or(l.reopen(ctx, f.in.at.Path, err), l.feedFor(tables.Loaded())); err != nil {
		return err
	}
	insert := func(work func() error) error {
		err := f.writing(ctx, l, laterTurn, []func() error{work})
		if err != nil && ctx.Err() == nil {
			err = errors.Join(err, l.reopen(ctx, f.in.at.Path, err))
		}
		return err
	}
	refused, err := l.asides.alone(ctx, u, insert)
	if err != nil {
		return f.in.at.Explain(err)
	}
	out := left{asides: refused}
	out.add(u)
	rest := append([]func() error{func() error { return l.asides.leaveAll(ctx, out) }}, work[1:]...)
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

// take stores the rows of a unit, and notes its set-aside and silent logs.
func (l *loader) take(ctx context.Context, u *unit) error {
	if err := l.replace(ctx, u.batch); err != nil {
		return err
	}
	var rest left
	rest.add(u)
	return l.asides.leaveAll(ctx, rest)
}

// replace replaces all rows of a batch's files by the rows of the batch. Of a table with
// many rows it writes only the difference, see exchange, and of a single row only the
// changed columns, see amend.
func (l *loader) replace(ctx context.Context, b *tables.Batch) error {
	if len(b.Sources()) == 0 {
		return l.insert(ctx, b)
	}
	list := strings.Join(each(b.Sources(), "%d"), ", ")
	held, err := l.leaving(ctx, list)
	if err != nil {
		return err
	}
	err = l.put(ctx, b, func(ctx context.Context, t *tables.Table, records []arrow.RecordBatch) error {
		switch {
		case !slices.Contains(held, t.Name):
		case rowdiff.Rows(records) > comparedRows:
			return l.exchange(ctx, t, list, records)
		default:
			if done, err := amend(ctx, l, t, list, records); done || err != nil {
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
	return l.links.pend(ctx, b.Sources())
}

// write takes the store for some work. Each piece of work is a transaction. If the
// loader runs out of memory, write repeats the piece with more memory.
func (f *file) write(ctx context.Context, l *loader, t turn, work ...func() error) error {
	return f.in.at.Explain(f.writing(ctx, l, t, work))
}

// writing is write, with DuckDB's own error.
func (f *file) writing(ctx context.Context, l *loader, t turn, work []func() error) error {
	left, err := f.attempt(ctx, l, t, work)
	for l.canGoOn(ctx, err) {
		if err = l.reopen(ctx, f.in.at.Path, err); err == nil {
			left, err = f.attempt(ctx, l, laterTurn, left)
		}
	}
	return err
}

// attempt tries write once. It returns the work that isn't committed.
func (f *file) attempt(ctx context.Context, l *loader, t turn, work []func() error) (left []func() error, err error) {
	release, err := f.in.takeTurn(ctx, t, func() error { return l.attach(ctx, f.in.at.Path) })
	if err != nil {
		return work, err
	}
	defer release()
	err = cmp.Or(l.use(ctx), l.recall(ctx))
	for err == nil && len(work) > 0 {
		note := l.noteRows
		if len(work) > 1 {
			note = l.forgetRows
		}
		if err = l.transaction(ctx, func() error { return cmp.Or(work[0](), note(ctx)) }); err == nil {
			work = work[1:]
		}
	}
	if err == nil {
		err = l.remember(ctx)
	}
	if detachErr := l.detach(ctx); err == nil {
		err = detachErr // an error of the checkpoint
	}
	return work, err
}

// markGone notes the vanished files and the returned files. Either may decide which of
// two files keeps a session id, so both are linked anew.
func (l *loader) markGone(ctx context.Context, p plan) error {
	set := func(ids []int64, value string) error {
		if len(ids) == 0 {
			return nil
		}
		return l.exec(ctx, fmt.Sprintf("UPDATE sources SET gone_at = %s WHERE source_id IN (%s)", value, strings.Join(each(ids, "%d"), ", ")))
	}
	if err := l.remove(ctx, p.dropped); err != nil {
		return err
	}
	if err := set(p.gone, timestamp(time.Now())+", unread_since = NULL"); err != nil {
		return err
	}
	if err := l.asides.noStanding(ctx, p.gone); err != nil {
		return err
	}
	if err := set(p.back, "NULL"); err != nil {
		return err
	}
	if err := cmp.Or(l.asides.markSilent(ctx, p.silent), l.asides.markUnread(ctx, p.heard, "NULL")); err != nil {
		return err
	}
	return l.links.pend(ctx, append(slices.Clone(p.gone), p.back...))
}

// touch notes what files are known by whose rows are all their parts'.
func (l *loader) touch(ctx context.Context, touched []found) error {
	for _, f := range touched {
		statements := []string{fmt.Sprintf("UPDATE sources SET size = %d, modified_at = %s, stamp = %s WHERE source_id = %d", f.source.Size, timestamp(f.source.ModifiedAt), sqltext.Literal(f.source.Stamp), f.id)}
		for _, n := range f.near {
			size, at := "NULL", "NULL"
			if n.Exists && n.WasRead {
				size, at = fmt.Sprint(n.Size), timestamp(n.ModifiedAt)
			}
			statements = append(statements, fmt.Sprintf("UPDATE neighbours SET existed = %t, size = %s, modified_at = %s WHERE source_id = %d AND path = %s", n.Exists, size, at, f.id, sqltext.Literal(n.Path)))
		}
		if err := l.exec(ctx, strings.Join(statements, "; ")); err != nil {
			return err
		}
	}
	return nil
}

// pend notes that sources are to be linked.
func (k *linker) pend(ctx context.Context, sources []int64) error {
	if len(sources) == 0 {
		return nil
	}
	return k.l.exec(ctx, "INSERT INTO pending_links VALUES "+strings.Join(each(sources, "(%d)"), ", "))
}

// NameRows writes this machine's name into the rows of this machine: the name may have
// changed since the load.
func (st *Store) NameRows(ctx context.Context) error {
	f, err := st.kind.writable()
	if err != nil {
		return err
	}
	name, machine := sqltext.Literal(st.Hostname()), sqltext.Literal(st.Machine())
	return f.writeAlone(ctx, func(l *loader) error {
		for _, t := range tables.All() {
			if t.View != "" || !t.Has("host") {
				continue
			}
			if err := l.exec(ctx, fmt.Sprintf("UPDATE %s SET host = nullif(%s, '') WHERE machine = %s AND host IS DISTINCT FROM nullif(%[2]s, '')", t.Name, name, machine)); err != nil {
				return err
			}
		}
		return nil
	})
}

func (l *loader) ids(ctx context.Context, query string) ([]int64, error) {
	return oneColumn[int64](ctx, l.conn, query)
}

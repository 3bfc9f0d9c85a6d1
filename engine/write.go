package engine

import (
	"context"
	"strings"

	"hindsql/engine/forget"
	"hindsql/engine/store"
)

// Writer lets one caller write to a store. Its SQL names the tables, with all their
// rows, by their plain names.
type Writer struct{ l *loader }

// Write calls write in one transaction, while no other caller writes to the store. It
// makes a missing store. If memory runs out, Write calls write again with more memory.
// An error of write undoes all changes.
func (st *Store) Write(ctx context.Context, write func(*Writer) error) error {
	f, err := st.kind.writable()
	if err != nil {
		return err
	}
	return f.writeAlone(ctx, func(l *loader) error { return write(&Writer{l}) })
}

// Exec runs a statement and returns the number of changed rows.
func (w *Writer) Exec(ctx context.Context, statement string) (rows int64, err error) {
	result, err := w.l.conn.ExecContext(ctx, statement)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// Each calls visit for each row of a query.
func (w *Writer) Each(ctx context.Context, query string, visit func(scan func(...any) error) error) error {
	rows, err := w.l.conn.QueryContext(ctx, query)
	if err != nil {
		return err
	}
	return eachRow(rows, visit)
}

// Change prepares to delete some rows of sources. The next Link links the sources anew,
// with other sources that shared messages with them.
func (w *Writer) Change(ctx context.Context, sources []int64) error {
	list := strings.Join(each(sources, "%d"), ", ")
	if _, err := w.l.leaving(ctx, list); err != nil {
		return err
	}
	return w.l.exec(ctx, "INSERT INTO pending_links SELECT source_id FROM sources WHERE source_id IN ("+list+") UNION SELECT other_source_id FROM related_sources WHERE source_id IN ("+list+")")
}

// Sources returns the ids of the sources that satisfy an SQL condition.
func (w *Writer) Sources(ctx context.Context, where string) ([]int64, error) {
	return w.l.ids(ctx, "SELECT source_id FROM sources WHERE "+where)
}

// Remove drops the rows of sources. The next Link links other sources that shared
// messages with the dropped sources.
func (w *Writer) Remove(ctx context.Context, sources []int64) error { return w.l.drop(ctx, sources) }

// Link leaves out the forgotten rows of the given new sources, and joins data that is
// spread over several files: of the new sources, and of sources that shared messages
// with removed sources.
func (w *Writer) Link(ctx context.Context, sources []int64) error {
	if len(sources) > 0 {
		if err := forget.LeaveOut(ctx, w.l.conn, w.l.at(), "VALUES "+strings.Join(each(sources, "(%d)"), ", ")); err != nil {
			return err
		}
	}
	if err := w.l.links.pend(ctx, sources); err != nil {
		return err
	}
	return w.l.links.link(ctx)
}

// File is the store's file.
func (st *Store) File() store.File { return store.File{Path: st.settings.get().Store} }

// HasRows reports whether the file exists. The error is a [*OtherBuild] if another build
// wrote it.
func (st *Store) HasRows(ctx context.Context) (bool, error) {
	f, err := st.kind.writable()
	if err != nil {
		return false, err
	}
	s, err := f.ledger.state(ctx)
	if err == nil && s.foreign && !s.missing {
		err = &store.OtherBuild{Path: f.in.at.Path}
	}
	return !s.missing, err
}

// writeAlone calls write in one transaction, while no other process writes to the
// store. It makes a missing store. It syncs first if another build or another program
// wrote to the store.
func (f *file) writeAlone(ctx context.Context, write func(*loader) error) error {
	s, err := f.ledger.state(ctx)
	if err != nil {
		return err
	}
	if s.foreign || s.tampered {
		report, err := f.sync(ctx, SyncOptions{})
		switch {
		case err != nil:
			return err
		case report.Held != nil:
			return report.Held
		case report.Busy:
			return &store.Busy{Path: f.in.at.Path}
		}
	}
	lock, locked, err := f.lock(ctx, nil)
	if err != nil {
		return err
	}
	if !locked {
		return &store.Busy{Path: f.in.at.Path}
	}
	defer lock.Unlock()
	if err := f.in.at.RemoveLeftovers(); err != nil {
		return err
	}
	l, err := openLoader(ctx, f.in.at.Path, f.in.settings.get())
	if err != nil {
		return err
	}
	defer l.close()
	err = f.write(ctx, l, laterTurn, func() error { return write(l) })
	switch {
	case err == nil:
		f.in.at.NoteMark(store.MarkOf(f.in.at.Path))
	case store.ReasonOf(err) != "":
		err = &store.Unwritable{Path: f.in.at.Path, Err: err}
	}
	return err
}

// drop removes the rows of sources. Other sources with messages in common are linked
// anew.
func (l *loader) drop(ctx context.Context, sources []int64) error {
	if len(sources) == 0 {
		return nil
	}
	list := strings.Join(each(sources, "%d"), ", ")
	if err := l.exec(ctx, "INSERT INTO pending_links SELECT other_source_id FROM related_sources WHERE source_id IN ("+list+")"); err != nil {
		return err
	}
	return l.remove(ctx, sources)
}

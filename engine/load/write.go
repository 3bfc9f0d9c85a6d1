package load

import (
	"context"

	"hindsql/engine/duck"
	"hindsql/engine/forget"
	"hindsql/engine/store"
	"hindsql/internal/sqltext"
)

// Writer lets one caller write to a store. Its SQL names the tables, with all their
// rows, by their plain names.
type Writer struct{ l *loader }

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
	rows, err := w.l.conn.QueryContext(ctx, query) //nolint:rowserrcheck // EachRow checks
	if err != nil {
		return err
	}
	return duck.EachRow(rows, visit)
}

// Change prepares to delete some rows of sources. The next Link links the sources anew,
// with other sources that shared messages with them.
func (w *Writer) Change(ctx context.Context, sources []int64) error {
	list := sqltext.Numbers(sources, "%d")
	if _, err := w.l.prepareToReplace(ctx, list); err != nil {
		return err
	}
	return w.l.exec(ctx, "INSERT INTO pending_links SELECT source_id FROM sources WHERE source_id IN ("+list+") UNION SELECT other_source_id FROM related_sources WHERE source_id IN ("+list+")")
}

// Sources returns the ids of the sources that satisfy an SQL condition.
func (w *Writer) Sources(ctx context.Context, where string) ([]int64, error) {
	return duck.Column[int64](ctx, w.l.conn, "SELECT source_id FROM sources WHERE "+where)
}

// Remove drops the rows of sources. The next Link links other sources that shared
// messages with the dropped sources.
func (w *Writer) Remove(ctx context.Context, sources []int64) error {
	return w.l.removeAndRelink(ctx, sources)
}

// Link leaves out the forgotten rows of the given new sources, and joins data that is
// spread over several files: of the new sources, and of sources that shared messages
// with removed sources.
func (w *Writer) Link(ctx context.Context, sources []int64) error {
	if len(sources) > 0 {
		if err := forget.DeleteRows(ctx, w.l.conn, w.l.at, "VALUES "+sqltext.Numbers(sources, "(%d)")); err != nil {
			return err
		}
	}
	if err := w.l.links.addPending(ctx, sources); err != nil {
		return err
	}
	return w.l.links.link(ctx)
}

// HasRows reports whether the file exists. The error is a [*store.OtherBuild] if another
// build wrote it.
func (f *File) HasRows(ctx context.Context) (bool, error) {
	s, err := f.ledger.state(ctx, nil)
	if err == nil && s.fitness == foreign {
		err = &store.OtherBuild{Path: f.at.Path}
	}
	return s.fitness != missing, err
}

// Write calls write in one transaction, while no other process writes to the store. It
// makes a missing store. It syncs first if another build or another program wrote to the
// store. If memory runs out, Write calls write again with more memory. An error of write
// undoes all changes.
func (f *File) Write(ctx context.Context, write func(*Writer) error) error {
	s, err := f.ledger.state(ctx, nil)
	if err != nil {
		return err
	}
	if s.fitness != fit {
		report, err := f.Sync(ctx, SyncOptions{})
		switch {
		case err != nil:
			return err
		case report.Held != nil:
			return report.Held
		case report.Busy:
			return &store.Busy{Path: f.at.Path}
		}
	}
	lock, locked, err := f.lock(ctx, nil)
	if err != nil {
		return err
	}
	if !locked {
		return &store.Busy{Path: f.at.Path}
	}
	defer lock.Unlock()
	if err := f.at.RemoveLeftovers(); err != nil {
		return err
	}
	l, err := openLoader(ctx, f.at, f.Config())
	if err != nil {
		return err
	}
	defer l.close()
	err = f.write(ctx, l, laterTurn, func() error { return write(&Writer{l}) })
	switch {
	case err == nil:
		f.at.RecordMark(store.MarkOf(f.at.Path))
	case store.ReasonOf(err) != "":
		err = &store.Unwritable{Path: f.at.Path, Err: err}
	}
	return err
}

// removeAndRelink removes the rows of sources. Other sources with messages in common are
// linked anew.
func (l *loader) removeAndRelink(ctx context.Context, sources []int64) error {
	if len(sources) == 0 {
		return nil
	}
	list := sqltext.Numbers(sources, "%d")
	if err := l.exec(ctx, "INSERT INTO pending_links SELECT other_source_id FROM related_sources WHERE source_id IN ("+list+")"); err != nil {
		return err
	}
	return l.remove(ctx, sources)
}

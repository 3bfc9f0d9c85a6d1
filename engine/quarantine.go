package engine

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"hindsql/internal/sqltext"
	"hindsql/readers"
	"hindsql/tables"
)

// aside is a file whose rows must not replace the store's rows: hindsql could not read
// the file, or DuckDB refused its rows. One problem in the store names the reason until
// the file is loaded.
type aside struct {
	found
	why   error
	batch *tables.Batch // the rows that could be read, for a store without rows of the file
}

func newAside(f found, rows *tables.File, why error) aside {
	a := aside{f, why, tables.NewBatch(nil)}
	rows.AppendTo(a.batch)
	return a
}

// refused is the error of rows that can't be stored.
type refused struct{ err error }

func (r *refused) Error() string {
	text, _, _ := strings.Cut(r.err.Error(), "\n")
	return text
}

// Texts of the problem of an aside file. A file that could not be read is retried by
// each sync. A file that could not be stored is retried after a change.
const (
	unreadText  = "can't be read since %s: %v"
	refusedText = "can't be stored, and is tried again when it changes: %[2]v"
	isStanding  = "line IS NULL AND (starts_with(what, 'can''t be read since ') OR starts_with(what, 'can''t be stored, and '))"
)

// opens reports whether the beginning of the log can be read.
func (f *found) opens() bool {
	if f.log.Err != nil {
		return false
	}
	return f.dog.Opens(f.reader, f.log)
}

func oddsIn(logs []found) (n int) {
	for i := range logs {
		if logs[i].log.Err != nil {
			n++
		}
	}
	return n
}

// isKnown reports whether the store already knows everything in the unit.
func (u *unit) isKnown() bool {
	return len(u.files) == 0 && len(u.silent) == 0 && !slices.ContainsFunc(u.asides, func(a aside) bool { return !a.known })
}

// tables lists the tables that the unit has rows for.
func (u *unit) tables() []*tables.Table {
	list := u.batch.Tables()
	if len(u.silent) > 0 {
		list = append(list, tables.Sources())
	}
	for _, a := range u.asides {
		list = append(list, a.batch.Tables()...)
	}
	return list
}

// quarantine notes in the store which logs were left aside, and why.
type quarantine struct{ l *loader }

// noStanding deletes the problems saying that the sources could not be read or stored.
func (q *quarantine) noStanding(ctx context.Context, sources []int64) error {
	if len(sources) == 0 {
		return nil
	}
	return q.l.exec(ctx, fmt.Sprintf("DELETE FROM problems WHERE source_id IN (%s) AND %s", strings.Join(each(sources, "%d"), ", "), isStanding))
}

// left collects the files that a load didn't insert: files set aside (see aside), and
// files on disks that gave no answer.
type left struct {
	asides []aside
	silent []found
}

func (l *left) add(u *unit) {
	l.asides = append(l.asides, u.asides...)
	l.silent = append(l.silent, u.silent...)
}

func (q *quarantine) leaveAll(ctx context.Context, of left) error {
	for i := range of.asides {
		if err := q.leave(ctx, &of.asides[i]); err != nil {
			return err
		}
	}
	return q.leaveSilent(ctx, of.silent)
}

// leave notes in the store that a file was left aside, and why.
func (q *quarantine) leave(ctx context.Context, a *aside) error {
	since, had, err := q.unreadSince(ctx, a)
	if err == nil && !had {
		err = q.l.replace(ctx, a.batch)
	}
	if err != nil {
		return err
	}
	id, text := a.id, refusedText
	change := fmt.Sprintf("size = %d, modified_at = make_timestamptz(%d), reader_version = %d", a.source.Size, a.source.ModifiedAt.UnixMicro(), a.source.ReaderVersion)
	if !errors.As(a.why, new(*refused)) {
		text, change = unreadText, "unread_since = "+timestamp(since)
	}
	what := fmt.Sprintf(text, since.Format(time.DateTime)+" UTC", a.why)
	if had && a.log.Err == nil {
		what += "; its rows are those of before"
	}
	for _, statement := range []string{
		fmt.Sprintf("UPDATE sources SET %s WHERE source_id = %d", change, id),
		fmt.Sprintf("DELETE FROM problems WHERE source_id = %d AND %s", id, isStanding),
		fmt.Sprintf("INSERT INTO problems BY NAME SELECT agent, path, %s AS what, 0 AS byte_offset, source_id FROM sources WHERE source_id = %d", sqltext.Literal(strings.ToValidUTF8(what, "\uFFFD")), id),
		fmt.Sprintf("UPDATE sources SET problems = (SELECT count(*) FROM problems WHERE source_id = %d) WHERE source_id = %[1]d", id),
	} {
		if err := q.l.exec(ctx, statement); err != nil {
			return err
		}
	}
	return q.l.forgetFiles(ctx)
}

// unreadSince returns when the file first became unreadable, and whether the store
// keeps its old rows. The rows go if they were loaded while the neighbour file that is
// unreadable now did not exist.
func (q *quarantine) unreadSince(ctx context.Context, a *aside) (since time.Time, had bool, err error) {
	var before sql.NullTime
	switch err := q.l.conn.QueryRowContext(ctx, fmt.Sprintf("SELECT unread_since FROM sources WHERE source_id = %d", a.id)).Scan(&before); {
	case err == nil:
		had = true
	case !errors.Is(err, sql.ErrNoRows):
		return since, false, err
	}
	if since = a.source.LoadedAt.UTC(); before.Valid {
		since = before.Time.UTC()
	}
	var unread *readers.Unread
	if had && errors.As(a.why, &unread) && unread.Beside != "" {
		lacking := fmt.Sprintf("SELECT NOT EXISTS (FROM neighbours WHERE source_id = %d AND path = %s AND NOT existed)", a.id, sqltext.Literal(unread.Beside))
		err = q.l.conn.QueryRowContext(ctx, lacking).Scan(&had)
	}
	return since, had, err
}

// timestamp returns the SQL of a moment.
func timestamp(t time.Time) string {
	return sqltext.Literal(t.UTC().Format("2006-01-02 15:04:05.000000+00")) + "::TIMESTAMPTZ"
}

// alone inserts the files of a unit one by one, after DuckDB refused their rows
// together. It returns the files whose rows fail again. insert runs work in a
// transaction and leaves the loader ready for the next transaction.
func (q *quarantine) alone(ctx context.Context, u *unit, insert func(work func() error) error) (left []aside, err error) {
	for _, f := range u.files {
		rows, err := f.load()
		if rows == nil {
			continue
		}
		if err == nil {
			b := tables.NewBatch(nil)
			rows.AppendTo(b)
			err = insert(func() error { return q.l.replace(ctx, b) })
			b.Release()
			if err == nil {
				continue
			}
			if ctx.Err() != nil || !byStatement(err) {
				return left, err
			}
			rows, err = tables.NewFile(f.source), &refused{err}
		}
		left = append(left, newAside(f, rows, err))
	}
	return left, nil
}

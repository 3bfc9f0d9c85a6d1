package load

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"hindsql/engine/duck"
	"hindsql/internal/sqltext"
	"hindsql/readers"
	"hindsql/tables"
)

// asideLog is a file whose rows must not replace the store's rows: hindsql could not read
// the file, or DuckDB refused its rows. One problem in the store names the reason until
// the file is loaded.
type asideLog struct {
	foundLog
	why   error
	batch *tables.Batch // the rows that could be read, for a store without rows of the file
}

func newAside(f foundLog, rows *tables.File, why error) asideLog {
	a := asideLog{f, why, tables.NewBatch(nil)}
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
	unreadText          = "can't be read since %s: %v"
	refusedText         = "can't be stored, and is tried again when it changes: %[2]v"
	isQuarantineProblem = "line IS NULL AND (starts_with(what, 'can''t be read since ') OR starts_with(what, 'can''t be stored, and '))"
)

// opens reports whether the beginning of the log can be read.
func (f *foundLog) opens() bool {
	if f.log.Err != nil {
		return false
	}
	return f.dog.CanRead(f.reader, f.log)
}

func countOdd(logs []foundLog) (n int) {
	for i := range logs {
		if logs[i].log.Err != nil {
			n++
		}
	}
	return n
}

// isKnown reports whether the store already knows everything in the unit.
func (u *unit) isKnown() bool {
	return len(u.files) == 0 && len(u.unresponsive) == 0 && !slices.ContainsFunc(u.asides, func(a asideLog) bool { return !a.known })
}

// tables lists the tables that the unit has rows for.
func (u *unit) tables() []*tables.Table {
	list := u.batch.Tables()
	if len(u.unresponsive) > 0 {
		list = append(list, tables.Sources())
	}
	for _, a := range u.asides {
		list = append(list, a.batch.Tables()...)
	}
	return list
}

// quarantine records in the store which logs were left aside, and why.
type quarantine struct{ l *loader }

// deleteProblems deletes the problems saying that the sources could not be read or stored.
func (q *quarantine) deleteProblems(ctx context.Context, sources []int64) error {
	if len(sources) == 0 {
		return nil
	}
	return q.l.exec(ctx, fmt.Sprintf("DELETE FROM problems WHERE source_id IN (%s) AND %s", sqltext.Numbers(sources, "%d"), isQuarantineProblem))
}

// asideLogs collects the files that a load didn't insert: files set aside (see asideLog), and
// files on disks that gave no answer.
type asideLogs struct {
	asides       []asideLog
	unresponsive []foundLog // not read, because their disk gives no answer
}

func (l *asideLogs) add(more asideLogs) {
	l.asides = append(l.asides, more.asides...)
	l.unresponsive = append(l.unresponsive, more.unresponsive...)
}

func (q *quarantine) recordAll(ctx context.Context, of asideLogs) error {
	for i := range of.asides {
		if err := q.record(ctx, &of.asides[i]); err != nil {
			return err
		}
	}
	return q.recordUnresponsive(ctx, of.unresponsive)
}

// record records in the store that a file was left aside, and why.
func (q *quarantine) record(ctx context.Context, a *asideLog) error {
	since, had, err := q.unreadSince(ctx, a)
	if err == nil && !had {
		err = q.l.replace(ctx, a.batch, nil)
	}
	if err != nil {
		return err
	}
	id, text := a.id, refusedText
	change := fmt.Sprintf("size = %d, modified_at = make_timestamptz(%d), reader_version = %d", a.source.Size, a.source.ModifiedAt.UnixMicro(), a.source.ReaderVersion)
	if !errors.As(a.why, new(*refused)) {
		text, change = unreadText, "unread_since = "+sqltext.Timestamp(since)
	}
	what := fmt.Sprintf(text, since.Format(time.DateTime)+" UTC", a.why)
	if had && a.log.Err == nil {
		what += "; its rows are those of before"
	}
	for _, statement := range []string{
		fmt.Sprintf("UPDATE sources SET %s WHERE source_id = %d", change, id),
		fmt.Sprintf("DELETE FROM problems WHERE source_id = %d AND %s", id, isQuarantineProblem),
		fmt.Sprintf("INSERT INTO problems BY NAME SELECT agent, path, %s AS what, 0 AS byte_offset, source_id FROM sources WHERE source_id = %d", sqltext.Literal(strings.ToValidUTF8(what, "\uFFFD")), id),
		fmt.Sprintf("UPDATE sources SET problems = (SELECT count(*) FROM problems WHERE source_id = %d) WHERE source_id = %[1]d", id),
	} {
		if err := q.l.exec(ctx, statement); err != nil {
			return err
		}
	}
	return q.l.clearFingerprint(ctx)
}

// unreadSince returns when the file first became unreadable, and whether the store
// keeps its old rows. The rows go if they were loaded while the neighbour file that is
// unreadable now did not exist.
func (q *quarantine) unreadSince(ctx context.Context, a *asideLog) (since time.Time, had bool, err error) {
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

// insertSingly inserts the files of a unit one by one, after DuckDB refused their rows
// together. It returns the files whose rows fail again. insert runs work in a
// transaction and leaves the loader ready for the next transaction.
func (q *quarantine) insertSingly(ctx context.Context, u *unit, insert func(work func() error) error) (left asideLogs, err error) {
	for _, f := range u.files {
		rows, err := f.load()
		if rows == nil {
			continue
		}
		if err == nil {
			b := tables.NewBatch(nil)
			rows.AppendTo(b)
			err = insert(func() error { return q.l.replace(ctx, b, []foundLog{f}) })
			b.Release()
			if err == nil {
				continue
			}
			if ctx.Err() != nil || !byStatement(err) {
				return left, err
			}
			rows, err = tables.NewFile(f.source), &refused{err}
		}
		left.asides = append(left.asides, newAside(f, rows, err))
	}
	return left, nil
}

// addUnresponsive adds a log that gave no answer to the unit, and reports whether it did.
func (u *unit) addUnresponsive(f foundLog, err error) bool {
	is := f.log.Err == nil && errors.As(err, new(*readers.NoAnswer))
	if is {
		u.unresponsive = append(u.unresponsive, f)
	}
	return is
}

// hasNewlyUnresponsive reports whether a device became unresponsive during this sync.
func (p *plan) hasNewlyUnresponsive() bool {
	return slices.ContainsFunc(p.dog.UnresponsiveDisks(), func(s readers.UnresponsiveDisk) bool { return s.Fresh })
}

// recordNewlyUnresponsive records in the store the logs on devices that became unresponsive
// after the search. It also records one problem for each root of these logs, in place of a problem
// for each log.
func (q *quarantine) recordNewlyUnresponsive(ctx context.Context, p *plan) error {
	var ids []int64
	var roots []asideLog
	recorded := map[partsOf]bool{}
	for _, f := range p.all {
		if f.log.Err != nil {
			recorded[partsOf{f.source.Agent, f.log.Path}] = true // by the search
		}
	}
	for i := range p.all {
		f := &p.all[i]
		err := p.dog.CheckPath(f.log.Root, f.log.Path)
		if f.log.Err != nil || err == nil {
			continue
		}
		ids = append(ids, f.id)
		if root := (partsOf{f.source.Agent, f.log.Root}); !recorded[root] {
			recorded[root] = true
			roots = append(roots, f.ofRoot(err))
		}
	}
	return cmp.Or(q.recordAll(ctx, asideLogs{asides: roots}), q.markUnresponsive(ctx, ids))
}

// ofRoot returns an asideLog for the root of a log, because the root can't be read.
func (f *foundLog) ofRoot(why error) asideLog {
	of := *f
	of.log = readers.Log{Root: f.log.Root, Rel: ".", Path: f.log.Root, Err: why}
	of.source.Path, of.source.Part, of.source.Stamp, of.source.Size, of.source.ModifiedAt = f.log.Root, "", "", 0, time.Time{}
	of.source.ReaderVersion, of.source.KeptID = versionOfNone, 0
	of.id = of.source.ID()
	return newAside(of, tables.NewFile(of.source), why)
}

// recordUnresponsive records in the store that logs were not read. Known logs keep their rows;
// new logs get a source without rows.
func (q *quarantine) recordUnresponsive(ctx context.Context, list []foundLog) error {
	if len(list) == 0 {
		return nil
	}
	ids := make([]int64, len(list))
	for i := range list {
		ids[i] = list[i].id
	}
	had, err := duck.Column[int64](ctx, q.l.conn, fmt.Sprintf("SELECT source_id FROM sources WHERE source_id IN (%s)", sqltext.Numbers(ids, "%d")))
	if err != nil {
		return err
	}
	known := map[int64]bool{}
	for _, id := range had {
		known[id] = true
	}
	b := tables.NewBatch(nil)
	defer b.Release()
	for i := range list {
		if src := list[i].source; !known[list[i].id] {
			src.ReaderVersion = versionOfUnresponsive
			tables.NewFile(src).AppendTo(b)
		}
	}
	if err := q.l.insert(ctx, b); err != nil {
		return err
	}
	return q.markUnresponsive(ctx, ids)
}

func (q *quarantine) markUnresponsive(ctx context.Context, ids []int64) error {
	return q.markUnread(ctx, ids, "coalesce(unread_since, "+sqltext.Timestamp(time.Now())+")")
}

func (q *quarantine) markUnread(ctx context.Context, ids []int64, since string) error {
	if len(ids) == 0 {
		return nil
	}
	err := q.l.exec(ctx, fmt.Sprintf("UPDATE sources SET unread_since = %s WHERE source_id IN (%s)", since, sqltext.Numbers(ids, "%d")))
	if err != nil {
		return err
	}
	return q.l.clearFingerprint(ctx)
}

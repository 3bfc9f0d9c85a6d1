package engine

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"hindsql/tables"
)

// A store remembers how many rows each table has that users see, and its lock
// what the file was like after the last write. Where the file is as it was,
// nobody else wrote to it, and nothing is counted.

// Healed says that another program changed the rows of the store, which were
// loaded again.
type Healed struct {
	Missing []TableRows // fewer than after the last write; none where there were as many or more
	Lost    []TableRows // of those, that no log has any more
}

// counted are the tables whose rows are counted.
func counted() (list []*tables.Table) {
	for _, t := range tables.Loaded() {
		if !t.Internal {
			list = append(list, t)
		}
	}
	return list
}

// countOf is the SQL of the numbers of rows, in the order of the tables. As a
// subquery for each table they took 28 ms to plan; this takes 4.
func countOf() string {
	var counts []string
	for i, t := range counted() {
		counts = append(counts, fmt.Sprintf("SELECT %d AS i, count(*) AS n FROM %s.%s", i, StoreSchema, t.Name))
	}
	return "(SELECT string_agg(n, ' ' ORDER BY i) FROM (" + strings.Join(counts, " UNION ALL ") + "))"
}

// noteRows notes how many rows there are, inside the last transaction of a write.
func (l *loader) noteRows(ctx context.Context) error {
	return l.exec(ctx, "UPDATE store_info SET rows = "+countOf())
}

// forgetRows notes that a write is under way, whose last transaction may never
// come.
func (l *loader) forgetRows(ctx context.Context) error {
	return l.exec(ctx, "UPDATE store_info SET rows = NULL")
}

// checkRows compares the attached store's rows with what it says of them. The
// numbers are those that it says; nil where they are right, or nobody knows.
func (l *ledger) checkRows(ctx context.Context, s *state) error {
	if l.in.at.HasMark(s.file) {
		return nil
	}
	var said, are string
	query := "SELECT coalesce(rows, ''), " + countOf() + " FROM " + StoreSchema + ".store_info"
	err := l.in.db.QueryRowContext(ctx, query).Scan(&said, &are)
	switch {
	case err != nil && strings.Contains(err.Error(), "does not exist"): // a table was dropped
		s.tampered, s.rows = true, nil
		return nil
	case err != nil:
		return err
	case said != "" && said != are:
		s.tampered, s.rows = true, &rowsOf{numbers(said), numbers(are)}
	default:
		l.in.at.NoteMark(s.file)
	}
	return nil
}

// rowsOf are numbers of rows by table: as noted, and as found.
type rowsOf struct{ said, are []int64 }

func numbers(text string) (list []int64) {
	for _, word := range strings.Fields(text) {
		n, _ := strconv.ParseInt(word, 10, 64)
		list = append(list, n)
	}
	return list
}

// fewer lists the tables that have less rows than was said.
func fewer(said, are []int64) (list []TableRows) {
	for i, t := range counted() {
		if i < len(said) && i < len(are) && are[i] < said[i] {
			list = append(list, TableRows{t.Name, said[i] - are[i]})
		}
	}
	return list
}

// heal makes the store anew from the logs and from the rows that are left.
func (f *file) heal(ctx context.Context, s *state, p plan, o SyncOptions) (done loads, healed *Healed, err error) {
	if done, err = f.rebuild(ctx, p, o.Progress, f.in.at.Path, nil); err != nil {
		return done, nil, err
	}
	healed = &Healed{}
	if s.rows == nil {
		return done, healed, nil
	}
	healed.Missing = fewer(s.rows.said, s.rows.are)
	after, err := f.ledger.countRows(ctx)
	healed.Lost = fewer(s.rows.said, after)
	return done, healed, err
}

func (l *ledger) countRows(ctx context.Context) (rows []int64, err error) {
	if err := l.in.acquireAny(ctx); err != nil {
		return nil, err
	}
	defer l.in.release(ctx)
	var text string
	err = l.in.db.QueryRowContext(ctx, "SELECT "+countOf()).Scan(&text)
	return numbers(text), err
}

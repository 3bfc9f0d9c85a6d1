package engine

import (
	"context"
	"fmt"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"hindsql/engine/rowdiff"
	"hindsql/internal/sqltext"
	"hindsql/tables"
)

// A log that grows is read whole, because a later line may change any earlier row: an
// undone turn, a late result, a new name of the session. Most rows stay as they were.
// For a table with many rows, the loader therefore compares the rows of the log with
// the stored rows, all columns of both, and writes only the difference. The store then
// has the same rows as after a replacement: a stored row that a link step changed
// differs from the log's row, and is replaced, too.

// comparedRows is the number of rows of a table above which the loader compares.
// mostExchanged is the number of stored rows above which it replaces all rows instead.
const (
	comparedRows  = 1000
	mostExchanged = 2000
)

// exchange makes the stored rows of sources, a list in SQL, equal to records, inside a
// transaction.
func (l *loader) exchange(ctx context.Context, t *tables.Table, sources string, records []arrow.RecordBatch) error {
	if err := l.makeRoom(ctx, t, records); err != nil {
		return err
	}
	hash := hashOf(namesOfColumns(t.Columns)) // in order, as the scan of a feed gives them
	stored, err := l.hashes(ctx, fmt.Sprintf("SELECT %s, rowid FROM %s WHERE source_id IN (%s)", hash, t.Name, sources))
	if err != nil {
		return err
	}
	l.feeds[t].queue = records
	given, err := l.hashes(ctx, fmt.Sprintf("SELECT %s FROM memory.main.feed_%s", hash, t.Name))
	if err != nil {
		return err
	}
	gone, added := rowdiff.Of(stored, given)
	where := fmt.Sprintf("source_id IN (%s)", sources)
	if len(gone) <= mostExchanged {
		where, records = fmt.Sprintf("rowid IN (%s)", strings.Join(each(gone, "%d"), ", ")), rowdiff.Picked(records, added)
		defer rowdiff.Release(records)
	}
	if len(gone) > 0 {
		if err := l.exec(ctx, fmt.Sprintf("DELETE FROM %s WHERE %s", t.Name, where)); err != nil {
			return err
		}
	}
	return l.insertInto(ctx, t, records)
}

// hashOf returns the SQL of a hash of some columns.
func hashOf(columns []string) string {
	names := make([]string, len(columns))
	for i, name := range columns {
		names[i] = sqltext.Identifier(name)
	}
	return "hash(" + strings.Join(names, ", ") + ")"
}

// hashes returns the rows of a query for hashes and, possibly, rowids.
func (l *loader) hashes(ctx context.Context, query string) (list []rowdiff.Row, err error) {
	err = recordsOf(ctx, l.conn, query, nil, func(r array.RecordReader) error {
		for r.Next() {
			batch := r.RecordBatch()
			for i, h := range batch.Column(0).(*array.Uint64).Uint64Values() {
				row := rowdiff.Row{Hash: h}
				if batch.NumCols() > 1 {
					row.ID = batch.Column(1).(*array.Int64).Value(i)
				}
				list = append(list, row)
			}
		}
		return nil
	})
	return list, err
}

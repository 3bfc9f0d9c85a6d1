package load

import (
	"context"
	"fmt"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"hindsql/engine/duck"
	"hindsql/engine/rowdiff"
	"hindsql/internal/lists"
	"hindsql/internal/sqltext"
	"hindsql/tables"
)

// A log that grows is read whole, because a later line may change any earlier row: an
// undone turn, a late result, a new name of the session. Most rows stay as they were.
// For a table with many rows, the loader therefore compares the rows of the log with
// the stored rows, all columns of both, and writes only the difference. The store then
// has the same rows as after a replacement: a stored row that a link step changed
// differs from the log's row, and is replaced, too.

// leastCompared is the number of rows of a table above which the loader compares.
// mostDiffering is the number of stored rows above which it replaces all rows instead.
const (
	leastCompared = 1000
	mostDiffering = 2000
)

// writeDifference makes the stored rows of sources, a list in SQL, equal to records, inside a
// transaction.
func (l *loader) writeDifference(ctx context.Context, t *tables.Table, sources string, records []arrow.RecordBatch) error {
	if err := l.raiseMemory(ctx, t, records); err != nil {
		return err
	}
	hash := sqltext.Hash(tables.Names(t.Columns)) // in order, as the scan of a feed gives them
	stored, err := l.hashes(ctx, fmt.Sprintf("SELECT %s, rowid FROM %s WHERE source_id IN (%s)", hash, t.Name, sources))
	if err != nil {
		return err
	}
	l.feeds[t].Queue = records
	given, err := l.hashes(ctx, fmt.Sprintf("SELECT %s FROM memory.main.feed_%s", hash, t.Name))
	if err != nil {
		return err
	}
	gone, added := rowdiff.Diff(stored, given)
	where := fmt.Sprintf("source_id IN (%s)", sources)
	if len(gone) <= mostDiffering {
		where, records = fmt.Sprintf("rowid IN (%s)", sqltext.Numbers(gone, "%d")), rowdiff.SelectRows(records, added)
		defer rowdiff.Release(records)
	}
	if len(gone) > 0 {
		if err := l.exec(ctx, fmt.Sprintf("DELETE FROM %s WHERE %s", t.Name, where)); err != nil {
			return err
		}
	}
	return l.insertInto(ctx, t, records)
}

// hashes returns the rows of a query for hashes and, possibly, rowids.
func (l *loader) hashes(ctx context.Context, query string) (list []rowdiff.Row, err error) {
	err = l.eachBatch(ctx, query, func(batch arrow.RecordBatch) {
		for i, h := range batch.Column(0).(*array.Uint64).Uint64Values() {
			row := rowdiff.Row{Hash: h}
			if batch.NumCols() > 1 {
				row.ID = batch.Column(1).(*array.Int64).Value(i)
			}
			list = append(list, row)
		}
	})
	return list, err
}

// eachBatch calls visit for each batch of a query's rows.
func (l *loader) eachBatch(ctx context.Context, query string, visit func(arrow.RecordBatch)) error {
	return duck.Records(ctx, l.conn, query, nil, func(r array.RecordReader) error {
		for r.Next() {
			visit(r.RecordBatch())
		}
		return nil
	})
}

// updateColumns makes the only stored row of sources, a list in SQL, equal to the only given
// row, inside a transaction. It writes only the columns that differ. done is false, and
// nothing is written, if there are more rows, or fewer.
//
// A new row costs DuckDB a block of 256 KB for each column at the commit, and the gap of
// the old row costs a vacuum at the checkpoint. A log that grew changes few columns of
// its session: with updateColumns, a sync of 1 GB of logs and a small file that grew takes
// 0.92 of the cpu.
func (l *loader) updateColumns(ctx context.Context, t *tables.Table, sources string, records []arrow.RecordBatch) (done bool, err error) {
	if rowdiff.CountRows(records) != 1 {
		return false, nil
	}
	names := tables.Names(t.Columns)
	list := lists.Join(names, ", ", func(name string) string { return sqltext.Hash([]string{name}) })
	stored, err := l.hashRows(ctx, fmt.Sprintf("SELECT rowid::UBIGINT, %s FROM %s WHERE source_id IN (%s) LIMIT 2", list, t.Name, sources))
	if err != nil || len(stored) != 1 {
		return false, err
	}
	l.feeds[t].Queue = records
	// The first column makes the scan of the feed give all columns in order.
	given, err := l.hashRows(ctx, fmt.Sprintf("SELECT %s, %s FROM memory.main.feed_%s", sqltext.Hash(names), list, t.Name))
	var set []string
	for i := 0; err == nil && i < len(names); i++ {
		if stored[0][i+1] != given[0][i+1] {
			set = append(set, fmt.Sprintf("%[1]s = given.%[1]s", sqltext.Identifier(names[i])))
		}
	}
	if l.feeds[t].Queue = records; len(set) == 0 {
		return err == nil, err
	}
	return true, l.exec(ctx, fmt.Sprintf(`UPDATE %s AS stored SET %s FROM (SELECT %s AS "all columns", * FROM memory.main.feed_%[1]s) given
		WHERE stored.rowid = %[4]d AND given."all columns" = %[5]d`, t.Name, strings.Join(set, ", "), sqltext.Hash(names), stored[0][0], given[0][0]))
}

// hashRows returns the rows of a query for columns of UBIGINT.
func (l *loader) hashRows(ctx context.Context, query string) (rows [][]uint64, err error) {
	err = l.eachBatch(ctx, query, func(batch arrow.RecordBatch) {
		for i := range int(batch.NumRows()) {
			row := make([]uint64, batch.NumCols())
			for c, column := range batch.Columns() {
				row[c] = column.(*array.Uint64).Value(i)
			}
			rows = append(rows, row)
		}
	})
	return rows, err
}

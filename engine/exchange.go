package engine

import (
	"context"
	"fmt"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

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
	gone, added := difference(stored, given)
	where := fmt.Sprintf("source_id IN (%s)", sources)
	if len(gone) <= mostExchanged {
		where, records = fmt.Sprintf("rowid IN (%s)", strings.Join(each(gone, "%d"), ", ")), picked(records, added)
		defer release(records)
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

// hashed is a row's hash, and its rowid if the row is stored.
type hashed struct {
	hash uint64
	row  int64
}

// hashes returns the rows of a query for hashes and, possibly, rowids.
func (l *loader) hashes(ctx context.Context, query string) (list []hashed, err error) {
	err = recordsOf(ctx, l.conn, query, nil, func(r array.RecordReader) error {
		for r.Next() {
			batch := r.RecordBatch()
			for i, h := range batch.Column(0).(*array.Uint64).Uint64Values() {
				row := hashed{hash: h}
				if batch.NumCols() > 1 {
					row.row = batch.Column(1).(*array.Int64).Value(i)
				}
				list = append(list, row)
			}
		}
		return nil
	})
	return list, err
}

// difference returns the rowids of stored rows that aren't among the given rows, and
// the places of given rows that aren't stored. Of equal rows each counts.
func difference(stored, given []hashed) (gone []int64, added []int) {
	rows := make(map[uint64][]int64, len(stored))
	for _, s := range stored {
		rows[s.hash] = append(rows[s.hash], s.row)
	}
	for i, g := range given {
		if same := rows[g.hash]; len(same) > 0 {
			rows[g.hash] = same[1:]
		} else {
			added = append(added, i)
		}
	}
	for _, s := range stored {
		if left := rows[s.hash]; len(left) > 0 {
			gone = append(gone, left[0])
			rows[s.hash] = left[1:]
		}
	}
	return gone, added
}

// picked returns the rows at some places, in order, as slices of the records.
func picked(records []arrow.RecordBatch, places []int) (list []arrow.RecordBatch) {
	first := 0 // place of the record's first row
	for _, r := range records {
		end := first + int(r.NumRows())
		for len(places) > 0 && places[0] < end {
			n := 1
			for n < len(places) && places[n] == places[0]+n && places[n] < end {
				n++
			}
			from := int64(places[0] - first)
			list, places = append(list, r.NewSlice(from, from+int64(n))), places[n:]
		}
		first = end
	}
	return list
}

func release(records []arrow.RecordBatch) {
	for _, r := range records {
		r.Release()
	}
}

func rowsIn(records []arrow.RecordBatch) (n int64) {
	for _, r := range records {
		n += r.NumRows()
	}
	return n
}

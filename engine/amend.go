package engine

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"hindsql/engine/rowdiff"
	"hindsql/internal/sqltext"
	"hindsql/tables"
)

// amend makes the only stored row of sources, a list in SQL, equal to the only given
// row, inside a transaction. It writes only the columns that differ. done is false, and
// nothing is written, if there are more rows, or fewer.
//
// A new row costs DuckDB a block of 256 KB for each column at the commit, and the gap of
// the old row costs a vacuum at the checkpoint. A log that grew changes few columns of
// its session: of 1 GB of logs and a small file that grew, amend takes 0.92 of the cpu.
func amend(ctx context.Context, l *loader, t *tables.Table, sources string, records []arrow.RecordBatch) (done bool, err error) {
	if rowdiff.Rows(records) != 1 {
		return false, nil
	}
	names := namesOfColumns(t.Columns)
	hashes := make([]string, len(names))
	for i := range names {
		hashes[i] = hashOf(names[i : i+1])
	}
	list := strings.Join(hashes, ", ")
	stored, err := hashRows(ctx, l.conn, fmt.Sprintf("SELECT rowid::UBIGINT, %s FROM %s WHERE source_id IN (%s) LIMIT 2", list, t.Name, sources))
	if err != nil || len(stored) != 1 {
		return false, err
	}
	l.feeds[t].queue = records
	// The first column makes the scan of the feed give all columns in order.
	given, err := hashRows(ctx, l.conn, fmt.Sprintf("SELECT %s, %s FROM memory.main.feed_%s", hashOf(names), list, t.Name))
	var set []string
	for i := 0; err == nil && i < len(names); i++ {
		if stored[0][i+1] != given[0][i+1] {
			set = append(set, fmt.Sprintf("%[1]s = given.%[1]s", sqltext.Identifier(names[i])))
		}
	}
	if l.feeds[t].queue = records; len(set) == 0 {
		return err == nil, err
	}
	return true, l.exec(ctx, fmt.Sprintf(`UPDATE %s AS stored SET %s FROM (SELECT %s AS "all columns", * FROM memory.main.feed_%[1]s) given
		WHERE stored.rowid = %[4]d AND given."all columns" = %[5]d`, t.Name, strings.Join(set, ", "), hashOf(names), stored[0][0], given[0][0]))
}

// hashRows returns the rows of a query for columns of UBIGINT.
func hashRows(ctx context.Context, conn *sql.Conn, query string) (rows [][]uint64, err error) {
	err = recordsOf(ctx, conn, query, nil, func(r array.RecordReader) error {
		for r.Next() {
			batch := r.RecordBatch()
			for i := range int(batch.NumRows()) {
				row := make([]uint64, batch.NumCols())
				for c, column := range batch.Columns() {
					row[c] = column.(*array.Uint64).Value(i)
				}
				rows = append(rows, row)
			}
		}
		return nil
	})
	return rows, err
}

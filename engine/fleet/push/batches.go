package push

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"hindsql/engine/export"
	"hindsql/internal/sqltext"
)

const (
	rowsAtOnce  = 50_000 // see Options.AtOnce
	mostBatches = 32     // all batches are written at once, and each takes memory
)

// pushedRows is the temporary table with the rows of some days, as landed, in the order
// of the files.
const pushedRows = "temp.main.hindsql_push_rows"

// batchColumn is the name of the added column with the number of a row's batch.
const batchColumn = "hindsql_push_batch"

// inBatches makes the files of sorted days. It reads each row in the store once. Many
// rows first go to files of batches, and each batch is then sorted alone: the memory
// for a sort of all rows would grow with them.
func (m *making) inBatches(ctx context.Context, i *item, days []*found) (err error) {
	batches := batchesOf(days, cmp.Or(m.AtOnce, rowsAtOnce))
	folder := filepath.Join(m.files.folder, "batches")
	defer os.RemoveAll(folder)
	switch len(batches) {
	case 0:
		return nil
	case 1:
		err = m.gather(ctx, i, i.landedOf(days))
	default:
		err = m.writeBatches(ctx, i.landedOf(days), batches, folder)
	}
	if err != nil {
		return err
	}
	// For few rows, a second thread only waits for work, for half as much cpu again.
	if err := m.Exec(ctx, "SET threads = 1"); err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, m.Exec(context.WithoutCancel(ctx), "RESET threads")) }()
	if len(batches) == 1 {
		return m.some(ctx, i, days)
	}
	for n, batch := range batches {
		files := filepath.Join(folder, fmt.Sprintf("%s=%d", batchColumn, n))
		rows := fmt.Sprintf("SELECT * FROM read_parquet(%s, hive_partitioning = false)", sqltext.Literal(filepath.Join(files, "*.parquet")))
		if err := m.gather(ctx, i, rows); err != nil {
			return err
		}
		if err := m.some(ctx, i, batch); err != nil {
			return err
		}
		if err := os.RemoveAll(files); err != nil {
			return err
		}
	}
	return nil
}

// batchesOf divides sorted days into batches of similar size.
func batchesOf(days []*found, atOnce int64) (batches [][]*found) {
	var all, count int64
	for _, f := range days {
		all += f.count
	}
	most := max(atOnce, all/mostBatches)
	for _, f := range days {
		if last := len(batches) - 1; last >= 0 && (count+f.count <= most || last+1 == mostBatches) {
			batches[last] = append(batches[last], f)
			count += f.count
			continue
		}
		batches, count = append(batches, []*found{f}), f.count
	}
	return batches
}

// gather fills pushedRows from a query of rows as landed.
func (m *making) gather(ctx context.Context, i *item, rows string) error {
	return m.Exec(ctx, "CREATE OR REPLACE TEMP TABLE "+pushedRows+" AS "+rows+export.OrderBy(append([]string{dayColumn}, i.order()...)))
}

// writeBatches writes rows to a folder for each batch.
func (m *making) writeBatches(ctx context.Context, rows string, batches [][]*found, folder string) error {
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	batch := "CASE"
	for n, days := range batches[:len(batches)-1] {
		batch += fmt.Sprintf(" WHEN %s <= %s THEN %d", dayColumn, sqltext.Literal(days[len(days)-1].day), n)
	}
	batch += fmt.Sprintf(" ELSE %d END", len(batches)-1)
	return m.Exec(ctx, strings.Join([]string{
		"SET partitioned_write_flush_threshold = 20000", // rows that a thread holds; DuckDB's own is half a million
		fmt.Sprintf("COPY (SELECT *, %s AS %s FROM (%s)) TO %s (FORMAT parquet, COMPRESSION lz4, ROW_GROUP_SIZE 2048, PARTITION_BY (%[2]s))",
			batch, batchColumn, rows, sqltext.Literal(folder)),
		"RESET partitioned_write_flush_threshold"}, ";"))
}

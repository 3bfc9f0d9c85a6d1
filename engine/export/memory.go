package export

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"hindsql/engine"
)

// littleMemory is DuckDB's first limit of memory for writing rows, in bytes. The rows are
// a stream, and what a sort doesn't hold in memory goes to the disk. With 250 MB, an
// export of 1 GB of logs falls short.
const littleMemory = 400_000_000

// Bounded runs work with little memory for DuckDB. So the memory follows the limit, and
// not the number of rows. But a few long values may need more. If memory falls short,
// work is run again with twice the limit: at most a quarter of the machine's memory, and
// in the end DuckDB's own limit, which one stored value may need.
func Bounded(ctx context.Context, r *engine.Reading, work func() error) error {
	var was string
	var most int64 // four fifths of the machine's memory, unless the user set another limit
	err := r.Each(ctx, "SELECT current_setting('memory_limit'), parse_formatted_bytes(current_setting('memory_limit'))", func(scan func(...any) error) error {
		return scan(&was, &most)
	})
	if err != nil {
		return err
	}
	quarter := most / 16 * 5
	for limit := min(littleMemory, quarter); limit < most; limit = min(2*limit, quarter) {
		if err := r.Exec(ctx, fmt.Sprintf("SET memory_limit = '%d KB'", limit/1000)); err != nil {
			return err
		}
		err := work()
		if back := giveBack(context.WithoutCancel(ctx), r, was, most); err == nil {
			err = back
		}
		if err == nil || ctx.Err() != nil || !isShort(err) {
			return err
		}
		if limit == quarter {
			break
		}
	}
	return work()
}

// giveBack sets DuckDB's own limit again, or the user's. DuckDB tells a limit in a few
// digits, rounded down, and would round down the limit that it told.
func giveBack(ctx context.Context, r *engine.Reading, was string, bytes int64) error {
	if err := r.Exec(ctx, "RESET memory_limit"); err != nil {
		return err
	}
	var own string
	err := r.Each(ctx, "SELECT current_setting('memory_limit')", func(scan func(...any) error) error { return scan(&own) })
	if err != nil || own == was {
		return err
	}
	return r.Exec(ctx, fmt.Sprintf("SET memory_limit = '%d KB'", (bytes+bytes/1000)/1000))
}

// isShort reports whether DuckDB's memory fell short. The words are DuckDB's.
func isShort(err error) bool {
	text := strings.ToLower(err.Error())
	return slices.ContainsFunc([]string{"out of memory", "failed to pin block", "failed to allocate data", "could not allocate block"},
		func(words string) bool { return strings.Contains(text, words) })
}

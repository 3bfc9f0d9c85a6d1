package load

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"hindsql/tables"
)

// DuckDB compresses a column 2,048 values at a time, and keeps their whole texts in
// memory until the last is written. Smaller transactions, smaller row groups and other
// compressions don't help. So the limit of a loader's memory follows the inserted
// texts. The limit may be too low, as when rows of earlier loads are written again or
// come out of Parquet. Then the work that fell short is repeated with twice the limit,
// and the store remembers the limit for later loads.
const (
	ordinaryMemory = 250_000_000 // bytes, enough for most loads; 120 MB cost an eighth more cpu
	linkMemory     = 96          // additional bytes for each linked message
	mostLinkMemory = 200_000_000 // additional bytes for all linked messages; more spills to the disk
	besideTexts    = 100_000_000 // bytes, for everything but the texts at hand
	vectorRows     = 2048
)

// raiseMemory raises the limit if the insert of the rows into a table needs more.
func (l *loader) raiseMemory(ctx context.Context, t *tables.Table, records []arrow.RecordBatch) error {
	g := l.gauges[t]
	if g == nil {
		g = &gauge{bytes: make([]int64, len(t.Columns)), before: make([]int64, len(t.Columns))}
		l.gauges[t] = g
	}
	for _, r := range records {
		g.add(r)
	}
	// The additional quarter is for the compressed texts.
	l.forTexts = max(l.forTexts, besideTexts+g.most+g.most/4)
	return l.setMemory(ctx, l.forTexts)
}

// setMemory raises the limit to a number of bytes, at most to DuckDB's default limit. It
// never lowers the limit.
func (l *loader) setMemory(ctx context.Context, bytes int64) error {
	bytes = min(bytes, l.mostMemory)
	if bytes <= l.memory {
		return nil
	}
	l.memory = bytes
	return l.exec(ctx, fmt.Sprintf("SET memory_limit = '%d KB'", bytes/1000))
}

// limitMemory sets the first limit of a loader. DuckDB's default limit is four fifths of
// the memory of the machine or of its control group.
func (l *loader) limitMemory(ctx context.Context) error {
	if err := l.conn.QueryRowContext(ctx, "SELECT parse_formatted_bytes(current_setting('memory_limit'))").Scan(&l.mostMemory); err != nil {
		return err
	}
	return l.setMemory(ctx, ordinaryMemory)
}

// restoreMemory raises the limit to the bytes that the attached store remembered, at most to a
// quarter of the machine's memory. Older builds remembered no limit at all.
func (l *loader) restoreMemory(ctx context.Context) error {
	if err := l.conn.QueryRowContext(ctx, "SELECT load_memory FROM store_info").Scan(&l.recalled); err != nil {
		return err
	}
	return l.setMemory(ctx, min(l.recalled, quarterOf(l.mostMemory)))
}

// quarterOf returns a quarter of the machine's memory, from DuckDB's default limit, which
// is four fifths of it. Both are bytes.
func quarterOf(mostMemory int64) int64 { return mostMemory / 16 * 5 }

// recordMemory records in the attached store that its texts took much more memory than most
// loads need. Later, rows of this load may be written again beside rows of other loads.
func (l *loader) recordMemory(ctx context.Context) error {
	needed := l.raisedTo
	if l.forTexts >= ordinaryMemory {
		needed = max(needed, 2*l.forTexts)
	}
	if needed <= l.recalled {
		return nil
	}
	l.recalled = needed
	return l.exec(ctx, fmt.Sprintf("UPDATE store_info SET load_memory = %d", needed))
}

// doubleMemory doubles the limit after work fell short of memory. Above a quarter of the
// machine's memory only DuckDB's default limit is left: one stored value may need it.
func (l *loader) doubleMemory(ctx context.Context) error {
	next := min(2*l.memory, quarterOf(l.mostMemory))
	if l.memory >= quarterOf(l.mostMemory) {
		next = l.mostMemory
	}
	l.raisedTo = next
	return l.setMemory(ctx, next)
}

// reopen starts the loader's DuckDB anew, with the same limit of memory, after an error
// that may have ended the old DuckDB. If the error says that memory fell short, reopen
// doubles the limit.
func (l *loader) reopen(ctx context.Context, cause error) error {
	short := l.isOutOfMemory(cause)
	l.close()
	fresh, err := openLoader(ctx, l.at, l.config)
	if err != nil {
		return err
	}
	fed := slices.Collect(maps.Keys(l.feeds))
	fresh.links, fresh.quarantine, fresh.refuse = l.links, l.quarantine, l.refuse
	fresh.raisedTo = l.raisedTo
	memory := l.memory
	*l = *fresh
	if err := cmp.Or(l.feedFor(fed), l.setMemory(ctx, memory)); err != nil || !short {
		return err
	}
	return l.doubleMemory(ctx)
}

// canGoOn reports whether a new DuckDB can do the work that an error ended: with more
// memory, or without the link step that failed.
func (l *loader) canGoOn(ctx context.Context, err error) bool {
	var failed *stepError
	return ctx.Err() == nil && (l.isOutOfMemory(err) || errors.As(err, &failed) && byStatement(err) && endsDuckDB(err))
}

// isOutOfMemory reports whether an error means that the loader's limit was too low, and
// the limit can be raised. The words are DuckDB's.
func (l *loader) isOutOfMemory(err error) bool {
	if err == nil || l.memory >= l.mostMemory {
		return false
	}
	for _, words := range []string{"Out of Memory Error", "failed to pin block", "failed to allocate data", "could not allocate block"} {
		if strings.Contains(err.Error(), words) {
			return true
		}
	}
	return false
}

// gauge measures rows of one table in insertion order: the most bytes of text that any
// 2,048 consecutive rows have in any one column, or up to twice as many.
type gauge struct {
	most   int64
	rows   int     // of the current stretch, which ends at 2,048
	bytes  []int64 // by column, of the current stretch
	before []int64 // by column, of the stretch before
}

func (g *gauge) add(r arrow.RecordBatch) {
	for from, all := 0, int(r.NumRows()); from < all; {
		to := min(all, from+vectorRows-g.rows)
		for i, column := range r.Columns() {
			if texts, ok := column.(*array.String); ok {
				ends := texts.ValueOffsets()
				g.bytes[i] += int64(ends[to] - ends[from])
				g.most = max(g.most, g.before[i]+g.bytes[i])
			}
		}
		if g.rows += to - from; g.rows == vectorRows {
			g.rows = 0
			g.bytes, g.before = g.before, g.bytes
			clear(g.bytes)
		}
		from = to
	}
}

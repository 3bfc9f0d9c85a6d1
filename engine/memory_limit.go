package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"hindsql/internal/sqltext"
	"hindsql/tables"
)

// DuckDB compresses a column 2,048 values at a time, and keeps their whole texts in
// memory until the last is written. Smaller transactions, smaller row groups and other
// compressions don't help. So the limit of a loader's memory follows the inserted
// texts. The limit may be too low, as when rows of earlier loads are written again or
// come out of Parquet. Then the work is repeated with DuckDB's default limit, four
// fifths of the machine's memory, and the store remembers the default limit for later
// loads.
const (
	ordinaryMemory = 250_000_000 // bytes, enough for most loads; 120 MB cost an eighth more cpu
	linkMemory     = 64          // additional bytes for each linked message
	besideTexts    = 100_000_000 // bytes, for everything but the texts at hand
	vectorRows     = 2048
	ownMemory      = math.MaxInt64 // stands for DuckDB's default limit
)

// makeRoom raises the limit if the insert of the rows into a table needs more.
func (l *loader) makeRoom(ctx context.Context, t *tables.Table, records []arrow.RecordBatch) error {
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
	return l.allow(ctx, l.forTexts)
}

// allow raises the limit to a number of bytes, and never lowers it.
func (l *loader) allow(ctx context.Context, bytes int64) error {
	if bytes <= l.memory {
		return nil
	}
	l.memory = bytes
	limit := fmt.Sprintf("%d KB", bytes/1000)
	if bytes == ownMemory {
		limit = l.ownLimit
	}
	return l.exec(ctx, "SET memory_limit = "+sqltext.Literal(limit))
}

// limitMemory sets the first limit of a loader. It saves DuckDB's default limit,
// because RESET doesn't restore the default.
func (l *loader) limitMemory(ctx context.Context) error {
	if err := l.conn.QueryRowContext(ctx, "SELECT current_setting('memory_limit')").Scan(&l.ownLimit); err != nil {
		return err
	}
	return l.allow(ctx, ordinaryMemory)
}

// recall raises the limit to the bytes that the attached store remembered.
func (l *loader) recall(ctx context.Context) error {
	var bytes int64
	if err := l.conn.QueryRowContext(ctx, "SELECT load_memory FROM store_info").Scan(&bytes); err != nil {
		return err
	}
	l.recalled = bytes
	return l.allow(ctx, bytes)
}

// remember notes in the attached store that its texts took much more memory than most
// loads need.
func (l *loader) remember(ctx context.Context) error {
	if l.recalled == ownMemory || l.memory != ownMemory && l.forTexts < ordinaryMemory {
		return nil
	}
	// Later, rows of this load may be written again beside rows of other loads.
	return l.exec(ctx, fmt.Sprintf("UPDATE store_info SET load_memory = %d", int64(ownMemory)))
}

// reopen starts the loader's DuckDB anew, with DuckDB's default limit, after an error
// that may have ended the old DuckDB.
func (l *loader) reopen(ctx context.Context, store string) error {
	l.close()
	fresh, err := openLoader(ctx, store, l.config)
	if err != nil {
		return err
	}
	fed := slices.Collect(maps.Keys(l.feeds))
	fresh.links, fresh.asides, fresh.refuse, fresh.worktrees = l.links, l.asides, l.refuse, l.worktrees
	*l = *fresh
	return cmp.Or(l.feedFor(fed), l.allow(ctx, ownMemory))
}

// canGoOn reports whether a new DuckDB can do the work that an error ended: with more
// memory, or without the link step that failed.
func (l *loader) canGoOn(ctx context.Context, err error) bool {
	var failed *stepError
	return ctx.Err() == nil && (l.lacksMemory(err) || errors.As(err, &failed) && byStatement(err) && endsDuckDB(err))
}

// lacksMemory reports whether an error means that the loader's limit was too low, and
// the limit can be raised. The words are DuckDB's.
func (l *loader) lacksMemory(err error) bool {
	if err == nil || l.memory == ownMemory {
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

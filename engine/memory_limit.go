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

// DuckDB compresses a column 2,048 values at a time, and the texts among them
// stay in memory, whole, until the last is written. Smaller transactions, row
// groups and other compressions change nothing about that. So the limit of a
// loader's memory follows the texts that it inserts; and where that isn't
// enough, as when rows of earlier loads are written again or come out of
// Parquet, the work is done once more with the limit that DuckDB has by itself,
// which is four fifths of the machine's memory. The store remembers that.
const (
	ordinaryMemory = 120_000_000 // bytes, in which most loads fit
	linkMemory     = 64          // bytes more for each message that is linked
	besideTexts    = 100_000_000 // bytes, for whatever is no text at hand
	vectorRows     = 2048
	ownMemory      = math.MaxInt64 // stands for the limit that DuckDB has by itself
)

// makeRoom raises the limit where the rows, which are to be inserted into a
// table, need it.
func (l *loader) makeRoom(ctx context.Context, t *tables.Table, records []arrow.RecordBatch) error {
	g := l.gauges[t]
	if g == nil {
		g = &gauge{bytes: make([]int64, len(t.Columns)), before: make([]int64, len(t.Columns))}
		l.gauges[t] = g
	}
	for _, r := range records {
		g.add(r)
	}
	// A quarter more is for what is compressed of them.
	l.forTexts = max(l.forTexts, besideTexts+g.most+g.most/4)
	return l.allow(ctx, l.forTexts)
}

// allow raises the limit to a number of bytes; lower ones change nothing.
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

// limitMemory sets the limit that a loader begins with. DuckDB's own is kept,
// as its RESET doesn't give it back.
func (l *loader) limitMemory(ctx context.Context) error {
	if err := l.conn.QueryRowContext(ctx, "SELECT current_setting('memory_limit')").Scan(&l.ownLimit); err != nil {
		return err
	}
	return l.allow(ctx, ordinaryMemory)
}

// recall allows what writing to the attached store took before.
func (l *loader) recall(ctx context.Context) error {
	var bytes int64
	if err := l.conn.QueryRowContext(ctx, "SELECT load_memory FROM store_info").Scan(&bytes); err != nil {
		return err
	}
	l.recalled = bytes
	return l.allow(ctx, bytes)
}

// remember notes in the attached store that its texts took much more memory than
// most loads need.
func (l *loader) remember(ctx context.Context) error {
	if l.recalled == ownMemory || l.memory != ownMemory && l.forTexts < 2*ordinaryMemory {
		return nil
	}
	// Rows of this load may be written again beside those of others.
	return l.exec(ctx, fmt.Sprintf("UPDATE store_info SET load_memory = %d", int64(ownMemory)))
}

// reopen starts the loader's DuckDB anew, after an error that may have ended
// it, without a limit of ours.
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

// canGoOn says whether the work that an error ended can be done by a DuckDB that
// is started anew: with more memory, or without the link step that ended it.
func (l *loader) canGoOn(ctx context.Context, err error) bool {
	var failed *stepError
	return ctx.Err() == nil && (l.lacksMemory(err) || errors.As(err, &failed) && byStatement(err) && endsDuckDB(err))
}

// lacksMemory says whether an error is that of a loader whose limit was too low
// for its work, and can be raised. The words are DuckDB's.
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

// gauge measures rows of one table in the order in which they are inserted:
// how many bytes of text any 2,048 of them that follow each other have in any
// one column, or a little more.
type gauge struct {
	most   int64
	rows   int     // of the stretch at hand, which ends at 2,048
	bytes  []int64 // by column, of the stretch at hand
	before []int64 // by column, of the one before it
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

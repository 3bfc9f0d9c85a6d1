package term

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"hindsql/internal/result"
)

// countTo returns rows with the numbers up to n, and text(n) beside each.
func countTo(n int, text func(int) string) *result.Rows {
	i := 0
	return result.NewRows(result.Columns("n BIGINT", "text VARCHAR"), func() ([]any, error) {
		if i == n {
			return nil, nil
		}
		i++
		return []any{int64(i), text(i)}, nil
	})
}

// TestTableInPieces: a long table for a pipe is written in pieces, but is still one
// table with one head. A column becomes wider only if a later piece needs the room.
func TestTableInPieces(t *testing.T) {
	const n = 2*pieceRows + 5
	lines := strings.Split(written(t, "table", countTo(n, func(i int) string {
		if i == pieceRows+2 {
			return "a wide one"
		}
		return "text"
	}), Options{}), "\n")
	if len(lines) != n+7 {
		t.Fatalf("%d lines for %d rows", len(lines), n)
	}
	for i, want := range map[int]string{
		0:             "┌────────┬─────────┐",
		2:             "│ bigint │ varchar │",
		3:             "├────────┼─────────┤",
		4:             "│      1 │ text    │",
		3 + pieceRows: fmt.Sprintf("│ %6d │ text    │", pieceRows),
		4 + pieceRows: fmt.Sprintf("│ %6d │ text       │", pieceRows+1),
		5 + pieceRows: fmt.Sprintf("│ %6d │ a wide one │", pieceRows+2),
		3 + n:         fmt.Sprintf("│ %6d │ text       │", n),
		4 + n:         "└────────┴────────────┘",
		5 + n:         "4,005 rows × 2 columns",
	} {
		if lines[i] != want {
			t.Errorf("line %d is %q, want %q", i, lines[i], want)
		}
	}
	wide := Options{Width: 40}
	if got := written(t, "table", countTo(n, func(int) string { return "text" }), wide); strings.Count(got, "┼") != 1 || !strings.Contains(got, "4,005 rows × 2 columns") {
		t.Errorf("on a terminal it ends %q", got[len(got)-200:])
	}
}

// TestTableInPiecesHoldsFew: memory use doesn't grow with a table's length in a pipe.
func TestTableInPiecesHoldsFew(t *testing.T) {
	held := func(n int) (most uint64) {
		var stats runtime.MemStats
		f, err := ByName("table")
		if err != nil {
			t.Fatal(err)
		}
		r := countTo(n, func(i int) string {
			if i%(n/4) == 0 {
				runtime.GC()
				runtime.ReadMemStats(&stats)
				most = max(most, stats.HeapAlloc)
			}
			return strings.Repeat("x", 100)
		})
		if err := f.Write(io.Discard, r, Options{}); err != nil {
			t.Fatal(err)
		}
		return most
	}
	few, many := held(20_000), held(100_000)
	if many > few+8<<20 {
		t.Errorf("%d bytes are held of 20,000 rows, and %d of 100,000", few, many)
	}
}

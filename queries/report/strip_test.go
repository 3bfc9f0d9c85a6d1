package report

import (
	"math"
	"testing"
	"time"

	"hindsql/internal/chart"
	"hindsql/internal/result"
)

// TestStrip checks the letters of a line, on a screen of ASCII, too. Only zero has the
// lowest bar, and a missing day has none.
func TestStrip(t *testing.T) {
	rows := func(days ...float64) (rows [][]any) {
		for i, n := range days {
			if !math.IsNaN(n) {
				rows = append(rows, []any{time.Date(2026, 10, 1+i, 0, 0, 0, 0, time.UTC), n})
			}
		}
		return rows
	}
	gap := math.NaN()
	for _, c := range []struct {
		days        []float64
		bars, ascii string
	}{
		{[]float64{0, 1, 4, 8, gap, gap, 7.9, 2}, "▁▂▅█··█▃", "_.=#  #:"},
		{[]float64{0, 0, 0}, "▁▁▁", "___"},
		{[]float64{1, -1}, "", ""},
	} {
		set := &result.Set{Columns: result.Columns("day DATE", "n DOUBLE"), Rows: rows(c.days...)}
		d, err := chart.Read(set.Read(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for bars, s := range map[string]Screen{c.bars: {}, c.ascii: {ASCII: true}} {
			if got, ok := s.strip(d); got.Bars != bars || ok != (bars != "") {
				t.Errorf("%v: %q, %t, want %q", c.days, got.Bars, ok, bars)
			}
		}
	}
}

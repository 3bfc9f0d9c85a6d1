package push

import (
	"fmt"
	"testing"
)

// TestBatchesOf: batches have all days in their order, no more rows than wanted unless a
// day has, and there are never too many.
func TestBatchesOf(t *testing.T) {
	for _, c := range []struct {
		days, rows, atOnce int64 // rows of a day
		want               int   // batches
	}{{0, 0, 10, 0}, {1, 100, 10, 1}, {3, 3, 10, 1}, {4, 3, 10, 2}, {9, 3, 10, 3}, {5, 100, 10, 5}, {1000, 7, 10, 32}, {33, 11, 1, 32}} {
		var days []*found
		for n := range c.days {
			days = append(days, &found{day: fmt.Sprintf("%04d", n), count: c.rows})
		}
		batches := batchesOf(days, c.atOnce)
		at := 0
		for _, batch := range batches {
			for _, f := range batch {
				if f != days[at] {
					t.Fatalf("%+v: day %s comes after %d days", c, f.day, at)
				}
				at++
			}
			if rows := int64(len(batch)) * c.rows; len(batches) < mostBatches && len(batch) > 1 && rows > c.atOnce {
				t.Errorf("%+v: a batch of %d rows", c, rows)
			}
		}
		if len(batches) != c.want || at != len(days) {
			t.Errorf("%+v: %d batches of %d days", c, len(batches), at)
		}
	}
}

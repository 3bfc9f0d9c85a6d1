package chart

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hindsql/internal/result"
)

// fitted returns a line's title, its points and notes as text.
func fitted(t *testing.T, declared, columns string, rows [][]any, room int) string {
	t.Helper()
	d, err := Parse(declared)
	if err != nil {
		t.Fatal(err)
	}
	data, err := Read((&result.Set{Columns: result.Columns(strings.Split(columns, ", ")...), Rows: rows}).Read(), d)
	if err != nil {
		t.Fatal(err)
	}
	data = data.Fit(room)
	all := []string{data.Title()}
	for i := range data.Points {
		p := &data.Points[i]
		gap := ""
		if p.Gap {
			gap = "gap "
		}
		all = append(all, gap+data.Moment(p)+"="+p.Text)
	}
	return strings.Join(append(all, data.Notes...), "; ")
}

func TestFit(t *testing.T) {
	at := func(hour, n int) []any { return []any{on(1).Add(time.Duration(hour) * time.Hour), int64(n)} }
	weeks := [][]any{{on(1), 10.0, int64(1)}, {on(2), 40.0, int64(2)}, {on(4), nil, int64(9)}, {on(7), 5.0, int64(7)}, {on(21), 6.5, int64(1)}}
	for _, c := range []struct {
		name, declared, columns string
		rows                    [][]any
		room                    int
		want                    string
	}{
		{"all fit", "line label=day value=n:count", "day DATE, n BIGINT", [][]any{{on(1), int64(1)}, {on(3), int64(2)}}, 3,
			"n a day; 2026-10-01=1; 2026-10-02=0; 2026-10-03=2"},
		{"weeks are sums, without a row 0", "line label=day value=n:count unit=tokens", "day DATE, n DOUBLE, w BIGINT", weeks, 5,
			"n tokens a week; 2026-09-28=50; 2026-10-05=5.0; 2026-10-12=0; 2026-10-19=6.5; 1 row with NULL for n; the first and the last week are not whole"},
		{"whole weeks", "line label=day value=n:count", "day DATE, n BIGINT", [][]any{{on(5), int64(1)}, {on(18), int64(2)}}, 5,
			"n a week; 2026-10-05=1; 2026-10-12=2"},
		{"means by weight", "line label=day value=n weight=w", "day DATE, n DOUBLE, w BIGINT", weeks, 4,
			"n, mean of a week; 2026-09-28=30; 2026-10-05=5.0; gap 2026-10-19=6.5; 1 row with NULL for n"},
		{"the newest of what can't be joined", "line label=day value=n", "day DATE, n DOUBLE, w BIGINT", weeks, 3,
			"n, newest 3 of 4 days; 2026-10-02=40.0; gap 2026-10-04=NULL; gap 2026-10-07=5.0; gap 2026-10-21=6.5; 1 row with NULL for n; 1 earlier day left out, because such numbers can't be summed"},
		{"hours", "line label=t value=n:count", "t TIMESTAMP, n BIGINT", [][]any{at(1, 1), at(2, 2), at(30, 4)}, 5,
			"n per 12 hours; 2026-10-01 00:00=3; 2026-10-01 12:00=0; 2026-10-02 00:00=4; the first and the last 12 hours are not whole"},
		{"moments, counted", "line label=t value=n:count", "t TIMESTAMP, n BIGINT",
			[][]any{{on(1).Add(time.Second), int64(1)}, {on(1).Add(time.Minute), int64(2)}, {on(2).Add(3), int64(4)}}, 2,
			"n a day; 2026-10-01=3; 2026-10-02=4; the first and the last day are not whole"},
		{"moments, not counted, stay", "line label=t value=n", "t TIMESTAMP, n BIGINT",
			[][]any{{on(1).Add(time.Second), int64(1)}, {on(1).Add(time.Minute), int64(2)}, {on(2).Add(3), int64(4)}}, 2,
			"n; 2026-10-01 00:00=1; 2026-10-01 00:01=2; 2026-10-02 00:00=4"},
		{"years", "line label=day value=n:count", "day DATE, n BIGINT", [][]any{{time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC), int64(1)}, {on(1), int64(2)}}, 3,
			"n per 1,000 years; 0000=1; 1000=0; 2000=2; the first and the last 1,000 years are not whole"},
	} {
		if diff := cmp.Diff(c.want, fitted(t, c.declared, c.columns, c.rows, c.room)); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", c.name, diff)
		}
	}
}

// TestSteps checks that steps of all lengths meet, in years with clock changes, and that
// a step begins where it is floored.
func TestSteps(t *testing.T) {
	for _, name := range []string{"UTC", "Europe/Berlin", "America/Santiago", "Asia/Kolkata"} {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Skip("no time zones on this machine: " + err.Error())
		}
		for _, s := range ladder {
			at := s.floor(time.Date(2026, 2, 27, 13, 59, 0, 0, zone))
			for range 500 {
				next := s.next(at)
				if !next.After(at) || !s.floor(next).Equal(next) && s.unit != byHour && s.unit != byMinute || !s.floor(next.Add(-1)).Equal(at) && s.unit > byHour {
					t.Fatalf("%s: %s follows %s by steps of %s", name, next, at, s.name)
				}
				at = next
			}
		}
	}
}

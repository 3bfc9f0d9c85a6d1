package chart

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hindsql/internal/result"
)

// told returns a chart's kind, columns, points and notes as text.
func told(t *testing.T, declared string, columns []result.Column, rows ...[]any) string {
	t.Helper()
	var d *Declaration
	if declared != "" {
		var err error
		if d, err = Parse(declared); err != nil {
			t.Fatal(err)
		}
	}
	data, err := Read((&result.Set{Columns: columns, Rows: rows}).Read(), d)
	if err != nil {
		return err.Error()
	}
	all := []string{fmt.Sprintf("%s %s|%s", data.Kind, data.Label, data.Value)}
	for _, p := range data.Points {
		label := p.Label
		if data.Kind == Line {
			label = p.At.Format("01-02T15")
		}
		if p.Gap {
			label = "gap " + label
		}
		all = append(all, label+"="+p.Text)
	}
	return strings.Join(append(all, data.Notes...), "; ")
}

func on(day int) time.Time { return time.Date(2026, 10, day, 0, 0, 0, 0, time.UTC) }

func TestRead(t *testing.T) {
	dated := result.Columns("day DATE", "agent VARCHAR", "n BIGINT")
	for _, c := range []struct {
		name, declared string
		columns        []result.Column
		rows           [][]any
		want           string
	}{
		{"the first number after the texts", "", result.Columns("id BIGINT", "a VARCHAR", "b VARCHAR", "n BIGINT", "m BIGINT"),
			[][]any{{int64(1), "x", nil, int64(12345), int64(3)}, {int64(2), nil, nil, nil, int64(4)}},
			"bar a, b|n; x=12,345; NULL=NULL; 1 row with NULL for n"},
		{"rows of one label, not summed", "", result.Columns("a VARCHAR", "n BIGINT"),
			[][]any{{"x", int64(1)}, {"y", int64(1)}, {"x", int64(2)}},
			"bar a|n; x=1; y=1; x=2; a label has several rows, nothing is summed: x (2 rows)"},
		{"summed where that is declared, in order", "bar label=a value=n:count", result.Columns("a VARCHAR", "n DOUBLE"),
			[][]any{{"y", 1.5}, {"x", 1.0}, {"x", 0.75}, {nil, nil}},
			"bar a|n; x=1.75; y=1.5; NULL=NULL; 1 row with NULL for n"},
		{"a total left out", "bar label=a value=n except=all", result.Columns("a VARCHAR", "n BIGINT"),
			[][]any{{"y", int64(1)}, {"all", int64(1)}}, `bar a|n; y=1; "all" is not drawn`},
		{"a missing day is a gap", "", dated[:1:1][:1], nil, "chart: no number among day DATE; bars need a text and a number, a line a time and a number"},
		{"days in their order", "line label=day value=n", dated, [][]any{{on(5), "a", int64(1)}, {on(1), "a", int64(2)}, {on(2), "a", nil}, {on(4), "a", int64(3)}},
			"line day|n; 10-01T00=2; 10-02T00=NULL; gap 10-04T00=3; 10-05T00=1; 1 row with NULL for n"},
		{"zero on a missing day, summed on one", "line label=day value=n:count", dated, [][]any{{on(1), "a", int64(1)}, {on(1), "b", int64(2)}, {on(4), "a", int64(3)}},
			"line day|n; 10-01T00=3; 10-02T00=0; 10-03T00=0; 10-04T00=3"},
		{"times of several rows", "", dated, [][]any{{on(1), "a", int64(1)}, {on(1), "b", int64(2)}, {on(2), "a", int64(3)}},
			"bar day|n; 2026-10-01 · a=1; 2026-10-01 · b=2; 2026-10-02 · a=3"},
		{"one moment", "", dated, [][]any{{on(1), "a", int64(1)}}, "bar day|n; 2026-10-01 · a=1"},
		{"texts that are dates", "", result.Columns("week VARCHAR", "n BIGINT"), [][]any{{"2026-10-05", int64(1)}, {"2026-10-19", int64(2)}},
			"line week|n; 10-05T00=1; gap 10-19T00=2"},
		{"hours are no dates", "line label=slice value=n", result.Columns("slice VARCHAR", "n BIGINT"), [][]any{{"08:00", int64(1)}, {"09:00", int64(2)}},
			"bar slice|n; 08:00=1; 09:00=2"},
		{"bars of days, newest first", "bar label=day value=n:count", dated, [][]any{{on(4), "a", int64(1)}, {on(2), "b", int64(2)}},
			"bar day|n; 2026-10-04=1; 2026-10-03=0; 2026-10-02=2"},
		{"ranges, and rows without a number", "bar value=n ranges=0,2.5,5", result.Columns("n DOUBLE"), [][]any{{math.NaN()}, {math.Inf(1)}, {nil}, {2.5}, {0.0}, {9.0}, {5.0}},
			"bar n|rows; 0 – 2.5=1; 2.5 – 5=1; 5 and more=2; NULL=1; nan, inf=2; 1 row with NULL for n; 2 rows with no finite n"},
		{"numbers below the first range", "bar value=wait_minutes ranges=0,90", result.Columns("wait_minutes BIGINT"), [][]any{{int64(-1)}, {int64(89)}},
			"bar wait_minutes|rows; below 0=1; 0 – 1.5 h=1"},
		{"one number alone", "", result.Columns("n DOUBLE"), nil, "chart: no label beside the number n; declare ranges to count its rows: -- chart bar value=n ranges=1,10,100"},
	} {
		if diff := cmp.Diff(c.want, told(t, c.declared, c.columns, c.rows...)); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", c.name, diff)
		}
	}
}

// TestDaysOfOtherLengths checks that days of 23 and 25 hours count as days, even a day
// from 1:00.
func TestDaysOfOtherLengths(t *testing.T) {
	for _, name := range []string{"Europe/Berlin", "America/Santiago"} {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Skip("no time zones on this machine: " + err.Error())
		}
		var rows [][]any
		for i := range 365 {
			if i%7 != 3 {
				rows = append(rows, []any{time.Date(2026, 1, 1+i, 0, 0, 0, 0, zone), int64(1)})
			}
		}
		d, err := Parse("line label=day value=n:count")
		if err != nil {
			t.Fatal(err)
		}
		data, err := Read((&result.Set{Columns: result.Columns("day TIMESTAMPTZ", "n BIGINT"), Rows: rows}).Read(), d)
		if err != nil {
			t.Fatal(err)
		}
		if data = data.Fit(365); len(data.Points) != 365 {
			t.Errorf("%s: %d days, want 365", name, len(data.Points))
		}
		for i, p := range data.Points {
			if want := time.Date(2026, 1, 1+i, 12, 0, 0, 0, zone); p.At.YearDay() != want.YearDay() {
				t.Errorf("%s: day %d is %s", name, i, p.At)
				break
			}
		}
	}
}

// TestTicks checks that marks are round and include the bounds.
func TestTicks(t *testing.T) {
	for _, c := range []struct {
		unit        Unit
		least, most float64
		want        string
	}{
		{"", 0, 9, "0 5 10"}, {"", 0, 37, "0 10 20 30 40"}, {"", -1, 1, "-1 -0.5 0 0.5 1"}, {"", 0, 1e6, "0 500k 1M"},
		{Minutes, 0, 240, "0 1 h 2 h 3 h 4 h"}, {Milliseconds, 0, 900, "0 500 ms 1 s"}, {Bytes, 0, 3 << 20, "0 1 MiB 2 MiB 3 MiB"},
		{"", 0, math.MaxFloat64, "0 1.798e+308"},
	} {
		var got []string
		for _, tick := range c.unit.ticks(c.least, c.most, 4, 0) {
			got = append(got, tick.Label)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%g to %g %s: %s, want %s", c.least, c.most, c.unit, strings.Join(got, " "), c.want)
		}
	}
}

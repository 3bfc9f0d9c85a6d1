package term

import (
	"flag"
	"fmt"
	"io"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hindsql/internal/chart"
	"hindsql/internal/result"
)

var update = flag.Bool("update", false, "rewrite testdata/charts.txt; look at it before you commit it")

var (
	textAndNumber = result.Columns("tool VARCHAR", "calls BIGINT")
	dayAndNumber  = result.Columns("day DATE", "calls BIGINT")
)

func day(n int) time.Time { return time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, n) }

// many makes n rows.
func many(n int, row func(i int) []any) [][]any {
	rows := make([][]any, n)
	for i := range rows {
		rows[i] = row(i)
	}
	return rows
}

// charts has results for every kind of drawing.
var charts = []struct {
	name    string
	options Options
	columns []result.Column
	rows    [][]any
}{
	{"bars", Options{}, textAndNumber, [][]any{{"Bash", int64(1234)}, {"Edit", int64(617)}, {"Read", int64(100)}, {"WebFetch", int64(1)}, {"none", int64(0)}}},
	{"bars, NULL and no number", Options{}, result.Columns("tool VARCHAR", "mean DOUBLE"), [][]any{{nil, 1.5}, {"Edit", nil}, {"Read", math.NaN()}, {"Grep", math.Inf(1)}, {"Bash", 0.75}}},
	{"bars below zero", Options{Width: 60}, textAndNumber, [][]any{{"up", int64(30)}, {"down", int64(-10)}, {"slightly", int64(-1)}, {"level", int64(0)}}},
	{"bars, all below zero", Options{Width: 40}, textAndNumber, [][]any{{"a", int64(-30)}, {"b", int64(-10)}}},
	{"bars, all zero", Options{}, textAndNumber, [][]any{{"a", int64(0)}, {"b", int64(0)}}},
	{"bars, long and wide labels", Options{Width: 50}, textAndNumber, [][]any{{strings.Repeat("long ", 20), int64(3)}, {strings.Repeat("漢", 30), int64(2)}, {"two\nlines\x1b[31m", int64(1)}, {"🙂", int64(1)}}},
	{"bars, long numbers", Options{Width: 50}, result.Columns("x VARCHAR", "n HUGEINT"), [][]any{{"a", new(big.Int).Lsh(big.NewInt(1), 100)}, {"b", new(big.Int).Lsh(big.NewInt(1), 99)}}},
	{"bars, number first", Options{Width: 50}, result.Columns("n INTEGER", "x VARCHAR", "m INTEGER"), [][]any{{int32(1), "a", int32(9)}, {int32(2), "b", int32(9)}}},
	{"bars of two numbers", Options{Width: 50}, result.Columns("hour BIGINT", "n BIGINT"), [][]any{{int64(8), int64(12)}, {int64(9), int64(40)}, {int64(10), int64(33)}}},
	{"one bar", Options{Width: 50}, textAndNumber, [][]any{{"Bash", int64(7)}}},
	{"no bars", Options{}, textAndNumber, nil},
	{"60 bars", Options{Width: 40}, textAndNumber, many(60, func(i int) []any { return []any{fmt.Sprint("tool ", i), int64(i)} })},
	{"bars on a terminal", Options{Width: 40, Color: true, Elapsed: func() time.Duration { return 12 * time.Millisecond }}, textAndNumber, [][]any{{"up", int64(3)}, {nil, int64(-1)}, {"x", nil}}},
	{"line", Options{}, dayAndNumber, many(30, func(i int) []any { return []any{day(i), int64(i * (30 - i))} })},
	{"line, days missing, unordered", Options{Width: 60}, dayAndNumber, [][]any{{day(20), int64(5)}, {day(0), int64(10)}, {day(2), int64(40)}, {day(3), int64(0)}}},
	{"line with gaps", Options{Width: 60}, dayAndNumber, [][]any{{day(0), int64(1)}, {day(3), int64(5)}, {day(4), nil}, {day(7), int64(3)}, {day(9), int64(4)}, {nil, int64(99)}}},
	{"line below zero", Options{Width: 60}, result.Columns("time TIMESTAMPTZ", "change DOUBLE"), many(100, func(i int) []any {
		return []any{day(0).Add(time.Duration(i) * time.Minute), math.Sin(float64(i) / 10)}
	})},
	{"level line", Options{Width: 60}, dayAndNumber, [][]any{{day(0), int64(5)}, {day(1), int64(5)}, {day(2), int64(5)}}},
	{"line at zero", Options{Width: 60}, dayAndNumber, [][]any{{day(0), int64(0)}, {day(2), int64(0)}}},
	{"line of 1,000", Options{Width: 60}, result.Columns("time TIMESTAMP", "n DOUBLE"), many(1000, func(i int) []any {
		return []any{day(0).Add(time.Duration(i) * time.Second), 1e9 + float64(i*i)}
	})},
	{"line of extremes", Options{Width: 60}, result.Columns("day DATE", "n DOUBLE"), [][]any{{day(0), -math.MaxFloat64}, {day(1), math.MaxFloat64}}},
	{"one moment", Options{Width: 60}, dayAndNumber, [][]any{{day(0), int64(5)}}},
	{"no moments", Options{Width: 60}, dayAndNumber, nil},
	{"line on a terminal", Options{Width: 50, Color: true}, dayAndNumber, [][]any{{day(0), int64(1)}, {day(4), int64(5)}}},
	{"ranges", Options{Width: 60, Chart: &chart.Declaration{Kind: chart.Bar, Value: "ms", Ranges: []float64{0, 1000, 5000}}}, result.Columns("ms BIGINT"), many(1000, func(i int) []any { return []any{int64(i * i / 100)} })},
	{"bars in ASCII", Options{Width: 50, ASCII: true}, textAndNumber, [][]any{{"é", int64(-3)}, {"b", int64(8)}, {nil, nil}}},
	{"line in ASCII", Options{Width: 50, ASCII: true}, dayAndNumber, [][]any{{day(0), int64(1)}, {day(1), int64(9)}, {day(2), int64(4)}}},
	{"narrow", Options{Width: 10}, dayAndNumber, [][]any{{day(0), int64(1)}, {day(4), int64(5)}}},
}

// TestCharts compares the charts with testdata/charts.txt.
func TestCharts(t *testing.T) {
	colors := strings.NewReplacer("\x1b[1m", "<b>", "\x1b[2m", "<dim>", "\x1b[31m", "<red>", "\x1b[36m", "<cyan>", "\x1b[38;5;30m", "<line>", "\x1b[0m", "</>")
	var got strings.Builder
	for _, c := range charts {
		drawn := written(t, "chart", rowsOf(c.columns, c.rows...), c.options)
		fmt.Fprintf(&got, "# %s\n%s\n", c.name, colors.Replace(drawn))
		for line := range strings.Lines(drawn) {
			if n := width(strings.TrimSpace(line)); !c.options.Color && n > max(c.options.Width, 30) && c.options.Width > 0 && !strings.Contains(line, "row") {
				t.Errorf("%s: %d cells: %s", c.name, n, line)
			}
			if !c.options.Color && strings.Contains(line, "\x1b") {
				t.Errorf("%s: coloured: %q", c.name, line)
			}
		}
	}
	path := filepath.Join("testdata", "charts.txt")
	if *update {
		if err := os.WriteFile(path, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got.String(), "\n")); diff != "" {
		t.Errorf("%s is out of date; go test -update rewrites it\n%s", path, diff)
	}
}

func TestChartNeedsNumbers(t *testing.T) {
	f, err := ByName("chart")
	if err != nil {
		t.Fatal(err)
	}
	err = f.Write(io.Discard, rowsOf(result.Columns("a VARCHAR", "b DATE"), []any{"x", nil}), Options{})
	const want = "chart: no number among a VARCHAR, b DATE; bars need a text and a number, a line a time and a number"
	if err == nil || err.Error() != want {
		t.Errorf("error %v\nwant  %s", err, want)
	}
}

// TestChartsOfAnything: no numbers or widths cause a panic.
func TestChartsOfAnything(t *testing.T) {
	numbers := []float64{0, 1, -1, 0.1, 1e-300, 5e-324, 1e15, 1e16, 123456789, math.MaxFloat64, -math.MaxFloat64, math.NaN(), math.Inf(-1)}
	for columns := 1; columns < 130; columns += 9 {
		for _, a := range numbers {
			for _, b := range numbers {
				o := Options{Width: columns}
				ranged := Options{Width: columns, Chart: &chart.Declaration{Kind: chart.Bar, Value: "n", Ranges: []float64{-1, 0, 1e300}}}
				written(t, "chart", rowsOf(result.Columns("n DOUBLE"), []any{a}, []any{b}), ranged)
				written(t, "chart", rowsOf(result.Columns("x VARCHAR", "n DOUBLE"), []any{"a", a}, []any{"b", b}), o)
				written(t, "chart", rowsOf(result.Columns("d DATE", "n DOUBLE"), []any{day(0), a}, []any{day(1), b}, []any{day(1), a}), o)
			}
		}
	}
}

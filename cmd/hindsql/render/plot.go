package render

import (
	"bufio"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/guptarohit/asciigraph"
)

// plotHeight is the number of lines of a plot, its axis left out.
const plotHeight = 12

// moments counts the different times that have a number.
func (c *chart) moments() int {
	seen := map[time.Time]bool{}
	for _, p := range c.points {
		if p.isNumber() && !p.at.IsZero() {
			seen[p.at.UTC()] = true
		}
	}
	return len(seen)
}

// line draws the numbers over time. The notes say what isn't drawn as it is.
func (c *chart) line(w *bufio.Writer) (notes []string) {
	points := slices.DeleteFunc(slices.Clone(c.points), func(p point) bool { return p.at.IsZero() })
	if left := len(c.points) - len(points); left > 0 {
		notes = append(notes, thousands(left)+" without a time left out")
	}
	slices.SortStableFunc(points, func(a, b point) int { return a.at.Compare(b.at) })
	first, last := points[0].at, points[len(points)-1].at

	least, most := bounds(points)
	ticks := newTicks(least, most)
	tick := timeLabel(first, last, c.label.Type == "DATE")
	edge := len(tick(last))/2 + 1 // the last label stands around the last column
	columns := c.Width - ticks.width() - len("  |") - edge
	series, merged := resample(points, columns)
	if merged {
		notes = append(notes, "times that share a column are drawn as their mean")
	}
	w.WriteString(c.paint(bold, visible(c.value.Name)) + "\n")
	w.WriteString(c.plot(ticks.scaled(series), ticks, first, last, tick) + "\n")
	return notes
}

func (c *chart) plot(series []float64, ticks ticks, first, last time.Time, label func(time.Time) string) string {
	options := []asciigraph.Option{
		asciigraph.Height(plotHeight), asciigraph.LowerBound(0), asciigraph.UpperBound(plotHeight),
		asciigraph.YAxisValueFormatter(ticks.label),
		asciigraph.XAxisRange(seconds(first), seconds(last)),
		asciigraph.XAxisTickCount(max(2, len(series)/(2*len(label(first))))),
		asciigraph.XAxisValueFormatter(func(s float64) string {
			return label(time.Unix(int64(math.Round(s)), 0).In(first.Location()))
		}),
	}
	if c.Color {
		options = append(options, asciigraph.SeriesColors(asciigraph.DarkCyan))
	}
	drawn := asciigraph.Plot(series, options...)
	lines := strings.Split(drawn, "\n")
	for i, s := range lines {
		lines[i] = strings.TrimRight(s, " ")
	}
	return strings.Join(lines, "\n")
}

func seconds(at time.Time) float64 { return float64(at.UnixMicro()) / 1e6 }

// timeLabel gives the form of times that tells moments between two apart.
func timeLabel(first, last time.Time, days bool) func(time.Time) string {
	const day = 24 * time.Hour
	form := time.DateOnly
	switch span := last.Sub(first); {
	case days:
	case span < 5*time.Minute:
		form = "15:04:05"
	case span < day:
		form = "15:04"
	case span < 4*day:
		form = "01-02 15:04"
	}
	return func(at time.Time) string { return at.Format(form) }
}

// resample spreads points, in order of time, over columns: the mean of those in
// a column; between columns with points a straight line, but none to or from a
// point without a number. merged: a column has several.
func resample(points []point, columns int) (series []float64, merged bool) {
	first, last := points[0].at, points[len(points)-1].at
	span := seconds(last) - seconds(first)
	means, counts, missing := make([]float64, columns), make([]int, columns), make([]bool, columns)
	for _, p := range points {
		at := int(math.Round((seconds(p.at) - seconds(first)) / span * float64(columns-1)))
		if !p.isNumber() {
			missing[at] = true
			continue
		}
		merged = merged || counts[at] > 0
		counts[at]++
		n := float64(counts[at])
		means[at] = means[at]*((n-1)/n) + p.number/n // never larger than a number, as a sum may be
	}
	series = make([]float64, columns)
	previous := -1
	for i := range series {
		series[i] = math.NaN()
		switch {
		case counts[i] > 0:
			series[i] = means[i]
			if previous >= 0 {
				join(series, previous, i)
			}
			previous = i
		case missing[i]:
			previous = -1
		}
	}
	return series, merged
}

// join draws a straight line between two columns.
func join(series []float64, from, to int) {
	for i := from + 1; i < to; i++ {
		part := float64(i-from) / float64(to-from)
		series[i] = series[from]*(1-part) + series[to]*part
	}
}

// ticks are the numbers of a plot's lines, from the least to the most.
type ticks struct{ least, most float64 }

func newTicks(least, most float64) ticks {
	if least == most {
		least, most = min(least, 0), max(most, 0)
	}
	if least == most {
		most = 1
	}
	return ticks{least, most}
}

// scaled gives the series in lines above the least: the plot's own scaling is
// not made for the greatest and least of numbers.
func (t ticks) scaled(series []float64) []float64 {
	lines := make([]float64, len(series))
	for i, f := range series {
		lines[i] = portion(f, t.least, t.most) * plotHeight
	}
	return lines
}

// label writes the number of a line, with as many digits as tell lines apart.
func (t ticks) label(line float64) string {
	part := line / plotHeight
	f := t.least*(1-part) + t.most*part
	step := t.most/plotHeight - t.least/plotHeight
	if math.Abs(f) >= 1e15 || step < 1e-6 {
		return strconv.FormatFloat(f, 'g', 4, 64)
	}
	return fixed(f, step)
}

func (t ticks) width() int {
	widest := 0
	for i := range plotHeight + 1 {
		widest = max(widest, len(t.label(float64(i))))
	}
	return widest
}

package render

import (
	"bufio"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"hindsql/engine/result"
)

// chart is a result that is drawn: of each row a number, and what it stands for.
type chart struct {
	Options
	label, value result.Column // label has no name in a histogram
	points       []point
}

// point is a row of a chart.
type point struct {
	label   string
	at      time.Time // zero when the label is no time
	number  float64   // NaN for NULL, and for what is no finite number
	written string    // the number as it was
}

// Of a chart in a file or pipe, and the least that leaves room to draw.
const (
	usualWidth = 80
	leastWidth = 30
)

// writeChart draws bars of the first column that is no number and the first
// number, a line where the former is a time, and a histogram of a number alone.
func writeChart(w *bufio.Writer, r *result.Rows, o Options) error {
	if o.Width == 0 {
		o.Width = usualWidth
	}
	o.Width = max(o.Width, leastWidth)
	types := result.Types(r.Columns)
	label, value := axes(types)
	if value < 0 {
		return cmp.Or(drain(r), noChart(r.Columns))
	}
	c := &chart{Options: o, value: r.Columns[value]}
	if label >= 0 {
		c.label = r.Columns[label]
	}
	for values, err := range r.All() {
		if err != nil {
			return err
		}
		p := numberOf(values[value], &types[value])
		if label >= 0 {
			p.label = oneLine(types[label].Text(values[label]))
			p.at = timeOf(values[label], &types[label])
		}
		c.points = append(c.points, p)
	}
	return c.draw(w, label >= 0 && types[label].IsTime())
}

func (c *chart) draw(w *bufio.Writer, overTime bool) error {
	var notes []string
	switch {
	case c.label.Name == "":
		c.bars(w, c.bins())
	case overTime && c.moments() > 1:
		notes = c.line(w)
	default:
		notes = c.bars(w, c.points)
	}
	foot := strings.Join(append([]string{quantity(len(c.points), "row")}, notes...), "; ")
	if c.Elapsed != nil {
		foot += " · " + elapsed(c.Elapsed())
	}
	_, err := w.WriteString(c.paint(dim, foot) + "\n")
	return err
}

// axes gives the columns that stand for what is drawn and for how much of it;
// the latter is -1 when no chart can be made, the former for a histogram.
func axes(types []result.Type) (label, value int) {
	value = slices.IndexFunc(types, func(t result.Type) bool { return t.IsNumber() })
	label = slices.IndexFunc(types, func(t result.Type) bool { return !t.IsNumber() })
	if label < 0 && len(types) > 1 { // numbers only, such as an hour and a count
		return 0, 1
	}
	return label, value
}

func noChart(columns []result.Column) error {
	var have []string
	for _, c := range columns {
		have = append(have, c.Name+" "+c.Type)
	}
	return fmt.Errorf("chart: no number among %s; bars need a text and a number, a line a time and a number, a histogram one number alone", strings.Join(have, ", "))
}

func timeOf(v any, t *result.Type) time.Time {
	const end = 200_000 // a year beyond which only infinity lies
	at, ok := v.(time.Time)
	if !ok || !t.IsTime() || at.Year() > end || at.Year() < -end {
		return time.Time{}
	}
	return at
}

func numberOf(v any, t *result.Type) point {
	p := point{number: math.NaN(), written: t.Text(v)}
	if n, err := strconv.ParseFloat(p.written, 64); v != nil && err == nil && !math.IsInf(n, 0) {
		p.number = n
	}
	return p
}

func (p *point) isNumber() bool { return !math.IsNaN(p.number) }

// bounds are the least and the greatest number.
func bounds(points []point) (least, most float64) {
	least, most = math.Inf(1), math.Inf(-1)
	for _, p := range points {
		if p.isNumber() {
			least, most = min(least, p.number), max(most, p.number)
		}
	}
	return least, most
}

// portion says where between two bounds a number lies: 0 to 1.
func portion(f, least, most float64) float64 {
	if math.IsInf(most-least, 0) {
		f, least, most = f/2, least/2, most/2
	}
	return (f - least) / (most - least)
}

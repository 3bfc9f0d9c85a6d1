package term

import (
	"bufio"
	"math"
	"strings"
	"time"

	"hindsql/internal/chart"
	"hindsql/internal/printable"
	"hindsql/internal/result"
	"hindsql/internal/words"
)

// drawing is a chart that is drawn with characters.
type drawing struct {
	Options
	*chart.Data
}

// Widths of a chart in cells: usualWidth in a file or pipe, leastWidth at least.
const (
	usualWidth = 80
	leastWidth = 30
)

// writeChart draws a result as the query's chart declaration says. Without a
// declaration, package chart chooses by its rule.
func writeChart(w *bufio.Writer, r *result.Rows, o Options) error {
	if o.Width == 0 {
		o.Width = usualWidth
	}
	o.Width = max(o.Width, leastWidth)
	data, err := chart.Read(r, o.Chart)
	if err != nil {
		return err
	}
	d := &drawing{o, data}
	d.draw(w)
	return nil
}

func (d *drawing) draw(w *bufio.Writer) {
	foot := words.Quantity(d.Rows, "row")
	if d.Kind == chart.Line {
		d.line(w)
		first, last := d.Span()
		foot += ", " + first + " to " + last
	} else {
		d.bars(w)
	}
	for _, note := range d.PlotNotes() {
		foot += "; " + oneLine(note)
	}
	if d.Elapsed != nil {
		foot += " · " + words.Duration(d.Elapsed())
	}
	if d.ASCII {
		foot = strings.NewReplacer("·", "-", "…", "...").Replace(foot)
	}
	w.WriteString(footLines(d.Options, dim, foot))
}

// signs are the characters of charts.
type signs struct {
	eighths                      []rune // parts of a cell, from left to right, the last one whole
	axis, corner, tick, mark     string // of a chart's edges
	level, upright, dot          string // of a line
	upFrom, upTo, downFrom, down string // turns of the line
	more                         string // marks a cut
}

var (
	drawn = signs{
		[]rune("▏▎▍▌▋▊▉█"), "│", "└", "┤", "┬",
		"─", "│", "•",
		"╯", "╭", "╮", "╰", "…",
	}
	typed = signs{
		[]rune("#"), "|", "+", "+", "+",
		"-", "|", "*",
		"'", ".", ".", "'", "~",
	}
)

func (d *drawing) signs() *signs {
	if d.ASCII {
		return &typed
	}
	return &drawn
}

// letters returns a label in ASCII if the terminal has only ASCII.
func (d *drawing) letters(s string) string {
	if !d.ASCII {
		return s
	}
	s = strings.NewReplacer("–", "-", "·", "-", "…", "~", words.LineEnd, " ").Replace(s)
	return strings.Map(func(r rune) rune {
		if r > '~' {
			return '?'
		}
		return r
	}, s)
}

// plotHeight is the index of a plot's highest line; the lowest is 0.
const plotHeight = 12

// line draws the numbers as a line over time, in which every day has the same length.
// The line has at most as many points as fit the width.
func (d *drawing) line(w *bufio.Writer) {
	d.Data = d.Fit(pointsIn(d.Width))
	ticks, margin := d.marks()
	room := d.Width - margin - len(" ┤ ")
	columns, merged := resample(d, room)
	if merged {
		d.Notes = append(d.Notes, "times that share a column are a stroke from the least to the greatest")
	}
	c := newCanvas(room)
	lowest, highest := ticks[0].At, ticks[len(ticks)-1].At
	c.trace(columns, d.signs(), func(f float64) int { return int(math.Round(portion(f, lowest, highest) * plotHeight)) })
	w.WriteString(d.paint(bold, printable.Line(d.Title())) + "\n")
	labels := map[int]string{}
	for _, t := range ticks {
		labels[int(math.Round(portion(t.At, lowest, highest)*plotHeight))] = t.Label
	}
	for y := plotHeight; y >= 0; y-- {
		edge := d.signs().axis
		if labels[y] != "" {
			edge = d.signs().tick
		}
		text := strings.TrimRight(string(c.cells[y]), " ")
		if text != "" {
			text = d.paint(cyan, text)
		}
		w.WriteString(strings.Repeat(" ", margin-width(labels[y])) + labels[y] + " " + edge + text + "\n")
	}
	d.timeAxis(w, margin+1, room)
}

// pointsIn returns the number of points of a line in a chart of a width. Below the
// usual width, the labels leave less than a column for each of the usual points.
func pointsIn(width int) int {
	const labels, widest = 12, 200
	switch {
	case width >= widest:
		return chart.WidePoints
	case width >= usualWidth:
		return chart.UsualPoints
	}
	return min(chart.UsualPoints, width-labels)
}

// marks returns the marks of the axis, and the width of their labels.
func (d *drawing) marks() (ticks []chart.Tick, margin int) {
	ticks = d.Ticks(4)
	for i := range ticks {
		ticks[i].Label = d.letters(ticks[i].Label)
		margin = max(margin, width(ticks[i].Label))
	}
	return ticks, margin
}

// timeAxis draws the lower edge of a plot, with marks at some times and their labels.
func (d *drawing) timeAxis(w *bufio.Writer, margin, room int) {
	const between = 10 // cells from a mark to the next, at least
	first, last := d.Ends()
	edge, line := []rune(strings.Repeat(d.signs().level, room)), []rune(strings.Repeat(" ", margin+1+room))
	free := 0
	for _, t := range d.TimeTicks(max(2, room/between)) {
		at := columnOf(t.At, first, last, room)
		begin := min(max(margin+1+at-len(t.Label)/2, 0), len(line)-len(t.Label))
		if begin < free {
			continue
		}
		edge[at] = []rune(d.signs().mark)[0]
		copy(line[begin:], []rune(t.Label))
		free = begin + len(t.Label) + 1
	}
	w.WriteString(strings.Repeat(" ", margin) + d.signs().corner + string(edge) + "\n")
	w.WriteString(strings.TrimRight(string(line), " ") + "\n")
}

// columnOf returns the plot's column for a time in seconds since 1970.
func columnOf(at float64, first, last time.Time, columns int) int {
	from, to := chart.Epoch(first), chart.Epoch(last)
	if from == to {
		return 0
	}
	return int(math.Round((at - from) / (to - from) * float64(columns-1)))
}

// column is what a column of the plot shows: the last of its numbers, where the line
// goes on, and the least and the greatest. NaN in a gap.
type column struct{ number, least, greatest float64 }

// resample returns the columns of the plot. merged reports whether several points fall
// in a column. Columns between two points get numbers on a straight line.
func resample(d *drawing, columns int) (series []column, merged bool) {
	first, last := d.Ends()
	series = make([]column, columns)
	for i := range series {
		series[i].number = math.NaN()
	}
	for _, run := range d.Runs() {
		previous := -1
		for _, p := range run {
			at := columnOf(chart.Epoch(p.At), first, last, columns)
			if c := &series[at]; math.IsNaN(c.number) {
				*c = column{p.Number, p.Number, p.Number}
			} else {
				merged = true
				*c = column{p.Number, min(c.least, p.Number), max(c.greatest, p.Number)}
			}
			if previous >= 0 && previous != at {
				join(series, previous, at)
			}
			previous = at
		}
	}
	return series, merged
}

// join fills the columns between two columns with numbers on a straight line.
func join(series []column, from, to int) {
	for i := from + 1; i < to; i++ {
		part := float64(i-from) / float64(to-from)
		f := series[from].number*(1-part) + series[to].number*part
		series[i] = column{f, f, f}
	}
}

// canvas holds the characters of a plot, the lowest line first.
type canvas struct{ cells [plotHeight + 1][]rune }

func newCanvas(columns int) *canvas {
	c := &canvas{}
	for y := range c.cells {
		c.cells[y] = []rune(strings.Repeat(" ", columns))
	}
	return c
}

// trace draws a line through the columns' numbers, and a stroke through the least and
// the greatest of a column. A number without a number in a neighbouring column becomes
// a dot.
func (c *canvas) trace(series []column, s *signs, height func(float64) int) {
	put := func(x, y int, sign string) { c.cells[y][x] = []rune(sign)[0] }
	is := func(x int) bool { return x >= 0 && x < len(series) && !math.IsNaN(series[x].number) }
	for x := range series {
		switch {
		case !is(x):
			continue
		case !is(x-1) && !is(x+1):
			put(x, height(series[x].number), s.dot)
		case !is(x - 1):
			put(x, height(series[x].number), s.level)
		default:
			from, to := height(series[x-1].number), height(series[x].number)
			for y := min(from, to) + 1; y < max(from, to); y++ {
				put(x, y, s.upright)
			}
			switch {
			case from == to:
				put(x, to, s.level)
			case from < to:
				put(x, from, s.upFrom)
				put(x, to, s.upTo)
			default:
				put(x, from, s.downFrom)
				put(x, to, s.down)
			}
		}
		for y := height(series[x].least); y <= height(series[x].greatest); y++ {
			if c.cells[y][x] == ' ' {
				put(x, y, s.upright)
			}
		}
	}
}

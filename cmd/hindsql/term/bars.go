package term

import (
	"bufio"
	"fmt"
	"math"
	"strconv"
	"strings"

	"hindsql/internal/chart"
	"hindsql/internal/printable"
	"hindsql/internal/words"
)

// mostBars is the maximum number of bars; the first points are drawn.
const mostBars = 50

// barTable is a chart of bars with their labels and numbers.
type barTable struct {
	*drawing
	w               *bufio.Writer
	labels, numbers int // widths of the columns of labels and numbers
	scale           scale
}

// bars draws a line for each point: the label, the number, and the bar. Bars of
// positive numbers go from zero to the right, bars of negative numbers to the left. If
// more than mostBars points exist, the last line counts the rest. It also has their
// sum, if the numbers may be summed.
func (d *drawing) bars(w *bufio.Writer) {
	points := d.Points[:min(len(d.Points), mostBars)]
	t := &barTable{drawing: d, w: w, labels: width(printable.Line(d.Label)), numbers: width(printable.Line(d.Value))}
	var labels []string
	for _, p := range points {
		label := d.letters(oneLine(p.Label))
		labels = append(labels, label)
		t.labels, t.numbers = max(t.labels, width(label)), max(t.numbers, width(p.Text))
	}
	more, sum := d.more(len(points))
	if more != "" {
		t.labels, t.numbers = max(t.labels, width(more)), max(t.numbers, width(sum))
	}
	t.labels, t.numbers = min(t.labels, d.Width*9/20), min(t.numbers, d.Width*3/10)
	t.row(printable.Line(d.Label), printable.Line(d.Value), bold, bold, "")
	t.scale = newScale(points, d.Width-t.labels-t.numbers-2)
	for i, p := range points {
		ofLabel, ofNumber := plain, plain
		if p.Null {
			ofLabel = dim
		}
		if !p.IsNumber() {
			ofNumber = dim
		}
		if width(p.Text) > t.numbers {
			p.Text = strconv.FormatFloat(p.Number, 'g', 4, 64)
		}
		t.row(labels[i], p.Text, ofLabel, ofNumber, d.bar(p.Number, t.scale))
	}
	if more != "" {
		t.row(more, sum, dim, dim, "")
	}
}

// more returns the label and the sum for the points that aren't drawn; both empty if
// all are. The sum is empty if the numbers can't be summed.
func (d *drawing) more(drawn int) (label, sum string) {
	left := d.Points[drawn:]
	if len(left) == 0 {
		return "", ""
	}
	total := 0.0
	for _, p := range left {
		if p.IsNumber() {
			total += p.Number
		}
	}
	if d.Count {
		sum = words.Amount(strconv.FormatFloat(math.Round(total*100)/100, 'f', -1, 64))
	}
	return fmt.Sprintf("+ %s more", words.Int(len(left))), sum
}

func (t *barTable) row(label, number string, ofLabel, ofNumber color, bar string) {
	label, number = t.fit(label), cut(number, t.numbers)
	gap := strings.Repeat(" ", t.labels-width(label)+1+max(0, t.numbers-width(number)))
	line := t.paint(ofLabel, label) + gap + t.paint(ofNumber, number) + " " + bar
	t.w.WriteString(strings.TrimRight(line, " ") + "\n")
}

// fit shortens a label to its column: a sentence at its end, a path or a name in its
// middle, because paths often differ only at the end.
func (t *barTable) fit(label string) string {
	if width(label) <= t.labels {
		return label
	}
	more := t.signs().more
	if at := strings.LastIndex(label, " "); at > len(label)/2 || t.labels < 8 {
		return glyphs.Truncate(label, t.labels, more)
	}
	tail := []rune(label)
	room := (t.labels - 1) * 3 / 5
	for width(string(tail)) > room {
		tail = tail[1:]
	}
	return glyphs.Truncate(label, t.labels-width(string(tail)), more) + string(tail)
}

// scale holds the room for bars below and above zero, in terminal cells, and the amount
// that one cell stands for.
type scale struct {
	below, above int
	cell         float64 // 0 if all numbers are 0
}

func newScale(points []chart.Point, room int) scale {
	least, most := chart.Extent(points)
	least, most = min(least, 0), max(most, 0) // without numbers: ±Inf
	s := scale{above: room}
	if least < 0 {
		room-- // for the axis
		s.below = max(1, int(math.Ceil(float64(room)*portion(0, least, most))))
		if s.above = room - s.below; s.above == 0 && most > 0 {
			s.below, s.above = s.below-1, 1
		}
	}
	if s.below > 0 {
		s.cell = -least / float64(s.below)
	}
	if s.above > 0 {
		s.cell = max(s.cell, most/float64(s.above))
	}
	return s
}

// portion returns where f lies between two bounds, as a number from 0 (at least) to 1
// (at most).
func portion(f, least, most float64) float64 {
	if math.IsInf(most-least, 0) {
		f, least, most = f/2, least/2, most/2
	}
	return (f - least) / (most - least)
}

func (d *drawing) bar(number float64, s scale) string {
	axis, signs := "", d.signs()
	whole := string(signs.eighths[len(signs.eighths)-1])
	if s.below > 0 {
		axis = d.paint(dim, signs.axis)
	}
	switch {
	case math.IsNaN(number) || number == 0 || s.cell == 0:
		return strings.Repeat(" ", s.below) + axis
	case number < 0:
		n := max(1, int(min(math.Round(-number/s.cell), float64(s.below))))
		return strings.Repeat(" ", s.below-n) + d.paint(red, strings.Repeat(whole, n)) + axis
	}
	parts := len(signs.eighths)
	n := max(1, int(min(math.Round(number/s.cell*float64(parts)), float64(s.above*parts))))
	bar := strings.Repeat(whole, n/parts)
	if rest := n % parts; rest > 0 {
		bar += string(signs.eighths[rest-1])
	}
	return strings.Repeat(" ", s.below) + axis + d.paint(cyan, bar)
}

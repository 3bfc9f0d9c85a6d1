package render

import (
	"bufio"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// mostBars are drawn, the first ones.
const mostBars = 50

// bars draws a bar a point: the label, the number, and the bar, from right to
// left for a number below zero. The notes say what isn't drawn.
func (c *chart) bars(w *bufio.Writer, points []point) (notes []string) {
	if more := len(points) - mostBars; more > 0 {
		notes = append(notes, fmt.Sprintf("the first %d are drawn, %s left out", mostBars, thousands(more)))
		points = points[:mostBars]
	}
	labels, numbers := width(visible(c.label.Name)), width(visible(c.value.Name))
	for _, p := range points {
		labels, numbers = max(labels, width(p.label)), max(numbers, width(p.written))
	}
	labels, numbers = min(labels, c.Width*2/5), min(numbers, c.Width*3/10)
	write := func(label, number string, ofLabel, ofNumber color, bar string) {
		label, number = cut(label, labels), cut(number, numbers)
		gap := strings.Repeat(" ", labels-width(label)+1+numbers-width(number))
		line := c.paint(ofLabel, label) + gap + c.paint(ofNumber, number) + " " + bar
		w.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	write(visible(c.label.Name), visible(c.value.Name), bold, bold, "")
	scale := newScale(points, c.Width-labels-numbers-2)
	for _, p := range points {
		ofLabel, ofNumber := plain, plain
		if p.label == "NULL" {
			ofLabel = dim
		}
		if !p.isNumber() {
			ofNumber = dim
		}
		if width(p.written) > numbers {
			p.written = strconv.FormatFloat(p.number, 'g', 4, 64)
		}
		write(p.label, p.written, ofLabel, ofNumber, c.bar(p.number, scale))
	}
	return notes
}

// scale says how much of a bar's room is below zero, and what a cell stands for.
type scale struct {
	below, above int
	cell         float64 // 0 when all numbers are
}

func newScale(points []point, room int) scale {
	least, most := bounds(points)
	least, most = min(least, 0), max(most, 0) // of no number: ±Inf
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

// eighths are the parts of a cell, from left to right.
var eighths = []rune("▏▎▍▌▋▊▉█")

func (c *chart) bar(number float64, s scale) string {
	axis := ""
	if s.below > 0 {
		axis = c.paint(dim, "│")
	}
	switch {
	case math.IsNaN(number) || number == 0 || s.cell == 0:
		return strings.Repeat(" ", s.below) + axis
	case number < 0:
		n := max(1, int(min(math.Round(-number/s.cell), float64(s.below))))
		return strings.Repeat(" ", s.below-n) + c.paint(red, strings.Repeat("█", n)) + axis
	}
	room := float64(s.above * len(eighths))
	parts := max(1, int(min(math.Round(number/s.cell*float64(len(eighths))), room)))
	bar := strings.Repeat("█", parts/len(eighths))
	if rest := parts % len(eighths); rest > 0 {
		bar += string(eighths[rest-1])
	}
	return strings.Repeat(" ", s.below) + axis + c.paint(cyan, bar)
}

package html

import (
	"bytes"
	"fmt"

	svg "github.com/wcharczuk/go-chart/v2"

	"hindsql/internal/chart"
)

// size is the size of a drawing, in the units of text. A place gets the drawing of
// nearly its own width, because shrunken letters can't be read.
type size struct {
	class         string
	width, height int
}

// sizes lists the drawings, for places from 16, 32 and 50 rem on: style.css shows the
// one that shrinks text of 12 pixels to 11 pixels at most.
func sizes() []size { return []size{{"narrow", 280, 190}, {"wide", 550, 220}, {"large", 860, 250}} }

// full is the drawing for a whole large screen, from 75 rem on, which has room for
// [chart.Wide] points.
var full = size{"full", 1250, 280}

// fontSize is the size of measured text, in points. style.css sets the same size.
const fontSize = 9

// drawLine draws numbers over time as SVG. style.css sets the colours by class.
func drawLine(d *chart.Data, s size) (string, error) {
	first, last := d.Ends()
	ticks := svgTicks(d.Ticks(4))
	edge := svg.Style{ClassName: "axis", FontSize: fontSize, StrokeWidth: 1}
	c := svg.Chart{
		Width: s.width, Height: s.height,
		Background: svg.Style{ClassName: "none", Padding: svg.Box{Top: 14, Left: 4, Right: 24, Bottom: 6}},
		Canvas:     svg.Style{ClassName: "none"},
		XAxis: svg.XAxis{
			Style: edge, Ticks: svgTicks(d.TimeTicks(s.width / 75)),
			Range: between(chart.Epoch(first), chart.Epoch(last)),
		},
		YAxis: svg.YAxis{Style: svg.Hidden(), Range: between(0, 1)},
		YAxisSecondary: svg.YAxis{
			Style: edge, Ticks: ticks, GridMajorStyle: svg.Style{ClassName: "grid", StrokeWidth: 1},
			Range: between(ticks[0].Value, ticks[len(ticks)-1].Value),
		},
	}
	for _, run := range d.Runs() {
		c.Series = append(c.Series, series(run))
	}
	var b bytes.Buffer
	if err := c.Render(svg.SVG, &b); err != nil {
		return "", fmt.Errorf("chart: %w", err)
	}
	return b.String(), nil
}

func svgTicks(of []chart.Tick) (ticks []svg.Tick) {
	for _, t := range of {
		ticks = append(ticks, svg.Tick{Value: t.At, Label: t.Label})
	}
	return ticks
}

// fixed is an axis that keeps its ends. The library would move the ends to the marks,
// and the ends of a second axis to the first axis's.
type fixed struct{ *svg.ContinuousRange }

func between(least, most float64) fixed {
	if least == most { // one moment, in the middle of the axis
		least, most = least-43200, most+43200
	}
	return fixed{&svg.ContinuousRange{Min: least, Max: most}}
}

// SetMin does nothing.
func (fixed) SetMin(float64) {}

// SetMax does nothing.
func (fixed) SetMax(float64) {}

func series(run []chart.Point) svg.ContinuousSeries {
	const dots = 60 // more dots would merge into a line
	line := svg.ContinuousSeries{
		YAxis: svg.YAxisSecondary,
		Style: svg.Style{ClassName: "line", StrokeWidth: 2, DotWidth: 3},
	}
	if len(run) > dots {
		line.Style.DotWidth = 0
	}
	for _, p := range run {
		line.XValues, line.YValues = append(line.XValues, chart.Epoch(p.At)), append(line.YValues, p.Number)
	}
	return line
}

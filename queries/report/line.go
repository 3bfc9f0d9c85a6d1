package report

import (
	"bytes"
	"fmt"
	"math"
	"time"

	"github.com/wcharczuk/go-chart/v2"
)

// size is that of a drawing, in the units of its text: a drawing for a phone is
// made for a phone, as letters that shrink with it can't be read.
type size struct {
	class         string
	width, height int
}

func sizes() []size { return []size{{"wide", 760, 240}, {"narrow", 330, 200}} }

// fontSize is that of measured text, in points; style.css sets the same.
const fontSize = 9

// drawLine draws the numbers over time as SVG. Colours are style.css's, by class.
func (p *Part) drawLine(s size) (string, error) {
	runs := lines(&p.Set)
	_, value := axes(&p.Set, Line)
	ticks := steps(greatest(&p.Set, value))
	first, last := ends(runs)
	edge := chart.Style{ClassName: "axis", FontSize: fontSize, StrokeWidth: 1}
	c := chart.Chart{
		Width: s.width, Height: s.height,
		Background: chart.Style{ClassName: "none", Padding: chart.Box{Top: 14, Left: 4, Right: 24, Bottom: 6}},
		Canvas:     chart.Style{ClassName: "none"},
		XAxis: chart.XAxis{
			Style: edge, Ticks: moments(runs, p.dates(), s.width/90),
			Range: between(seconds(first), seconds(last)),
		},
		YAxis: chart.YAxis{Style: chart.Hidden(), Range: between(0, 1)},
		YAxisSecondary: chart.YAxis{
			Style: edge, Ticks: ticks, GridMajorStyle: chart.Style{ClassName: "grid", StrokeWidth: 1},
			Range: between(0, ticks[len(ticks)-1].Value),
		},
	}
	for _, run := range runs {
		c.Series = append(c.Series, series(run))
	}
	var b bytes.Buffer
	if err := c.Render(chart.SVG, &b); err != nil {
		return "", fmt.Errorf("chart: %w", err)
	}
	return b.String(), nil
}

// fixed is an axis that keeps its ends: the library moves them to the marks,
// those of a second axis to the first one's.
type fixed struct{ *chart.ContinuousRange }

func between(least, most float64) fixed {
	if least == most { // one moment, in the middle of its day
		least, most = least-43200, most+43200
	}
	return fixed{&chart.ContinuousRange{Min: least, Max: most}}
}

// SetMin does nothing.
func (fixed) SetMin(float64) {}

// SetMax does nothing.
func (fixed) SetMax(float64) {}

func series(run []dot) chart.ContinuousSeries {
	line := chart.ContinuousSeries{
		YAxis: chart.YAxisSecondary,
		Style: chart.Style{ClassName: "line", StrokeWidth: 2, DotWidth: 3},
	}
	if len(run) > 60 {
		line.Style.DotWidth = 0
	}
	for _, d := range run {
		line.XValues, line.YValues = append(line.XValues, seconds(d.at)), append(line.YValues, d.value)
	}
	return line
}

func seconds(t time.Time) float64 { return float64(t.Unix()) }

func ends(runs [][]dot) (first, last time.Time) {
	run := runs[len(runs)-1]
	return runs[0][0].at, run[len(run)-1].at
}

// steps are the marks of an axis from 0 to a round number above most.
func steps(most float64) (ticks []chart.Tick) {
	if most <= 0 {
		most = 1
	}
	step := math.Pow(10, math.Floor(math.Log10(most/4)))
	for _, times := range []float64{1, 2, 2.5, 5, 10} {
		if most/(step*times) <= 4.5 {
			step *= times
			break
		}
	}
	for i := range int(math.Ceil(most/step-1e-9)) + 1 {
		v := float64(i) * step
		ticks = append(ticks, chart.Tick{Value: v, Label: short(v)})
	}
	return ticks
}

// short writes a number of an axis: 1.5M.
func short(v float64) string {
	for _, unit := range []struct {
		from, size float64
		name       string
	}{{1e12, 1e12, "T"}, {1e9, 1e9, "G"}, {1e6, 1e6, "M"}, {1e4, 1e3, "k"}} {
		if v >= unit.from {
			return floatText(v/unit.size) + unit.name
		}
	}
	return floatText(v)
}

// dates says that the line's times are days.
func (p *Part) dates() bool {
	label, _ := axes(&p.Set, Line)
	return p.Columns[label].Type == "DATE"
}

// moments are the marks of the time axis: some of the dots' times, with the last.
func moments(runs [][]dot, days bool, room int) (ticks []chart.Tick) {
	var all []time.Time
	for _, run := range runs {
		for _, d := range run {
			all = append(all, d.at)
		}
	}
	form := timeForm(all[0], all[len(all)-1], days)
	every := max(1, (len(all)+room-1)/room)
	for i := (len(all) - 1) % every; i < len(all); i += every {
		ticks = append(ticks, chart.Tick{Value: seconds(all[i]), Label: all[i].Format(form)})
	}
	return ticks
}

func timeForm(first, last time.Time, days bool) string {
	switch span := last.Sub(first); {
	case span > 330*24*time.Hour:
		return "Jan 2006"
	case days || span > 3*24*time.Hour:
		return "Jan 2"
	case span > 24*time.Hour:
		return "Jan 2 15:04"
	}
	return "15:04"
}

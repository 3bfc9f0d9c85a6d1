package html

import (
	"bytes"
	"fmt"
	"html/template"
	"strings"

	svg "github.com/wcharczuk/go-chart/v2"

	"hindsql/internal/chart"
	"hindsql/internal/lists"
	"hindsql/internal/pattern"
	"hindsql/internal/result"
	"hindsql/internal/words"
)

// ChartOptions holds options for a chart.
type ChartOptions struct {
	TableOptions        // for the numbers, also shown as text
	ID           string // prefix of element ids
	Title        string // title for screen readers
	Whole        bool   // the chart may take the whole width of a large screen
}

// Chart returns a result as a chart. A line becomes drawings for places of several
// widths, below its title, with the numbers folded below. The numbers are the rows, or
// the points if a point stands for several days. Other charts become a table with bars.
func Chart(r *result.Set, d *chart.Data, o ChartOptions) (body template.HTML, err error) {
	switch {
	case d.Kind == chart.Line:
		return o.drawings(r, d)
	case d.Kind == chart.Bar && d.HasBarPerRow(len(r.Rows)):
		body = execute("table", tableOf(r, &column{d.At, bars(d)}, o.TableOptions))
	default:
		o.Link = nil // a bar stands for several rows
		body = execute("table", tableOf(d.Set(), &column{1, bars(d)}, o.TableOptions))
	}
	if note := RenderNote(sentences(d.Notes)); note != "" {
		body += note + "\n"
	}
	return body, nil
}

// drawings returns the drawings of a line. A whole large screen gets its own drawing if
// it has room for more points.
func (o *ChartOptions) drawings(r *result.Set, d *chart.Data) (template.HTML, error) {
	var body drawing
	for _, s := range sizes() {
		if err := o.addDrawing(&body, d, s); err != nil {
			return "", err
		}
	}
	body.Captions = []caption{captionOf(d, "")}
	if more := d.Fit(chart.WidePoints); o.Whole && len(more.Points) != len(d.Points) {
		if err := o.addDrawing(&body, more, full); err != nil {
			return "", err
		}
		body.Captions = append(body.Captions, captionOf(more, full.class))
		d = more
	}
	if d.Step != "" {
		o.Link, r = nil, d.Set() // a point stands for several rows
	}
	body.Table = tableOf(r, nil, o.TableOptions)
	return execute("drawing", body), nil
}

func (o *ChartOptions) addDrawing(to *drawing, d *chart.Data, s size) error {
	text, err := drawLine(d, s)
	if err == nil {
		to.Charts = append(to.Charts, o.label(text, lineWords(d), s))
	}
	return err
}

// drawing is the data of a chart's template.
type drawing struct {
	Captions []caption // for all sizes, then for a whole large screen if it has its own drawing
	Charts   []template.HTML
	Table    htmlTable
}

// caption is the text beside a drawing.
type caption struct{ Class, Title, Note string }

func captionOf(d *chart.Data, class string) caption {
	return caption{class, titleOf(d), sentences(d.PlotNotes())}
}

// titleOf returns a line's title, safe and not long. The column's name is a user's.
func titleOf(d *chart.Data) string { return clean(beginning(d.Title(), longestLabel)) }

// HasFull reports whether a whole large screen has its own drawing.
func (d drawing) HasFull() bool { return len(d.Captions) > 1 }

// svgHead matches the library's beginning of a drawing. svgStyle matches the library's
// style attributes, which hide parts without a class. A page may forbid style
// attributes. svgEmpty matches the path of nothing that the library draws beside each
// dot.
var (
	svgHead  = pattern.Lazy(`^<svg [^>]*viewBox="([^"]*)">`)
	svgStyle = pattern.Lazy(` style="[^"]*"`)
	svgEmpty = pattern.Lazy(`<path  d="" [^>]*/>`)
)

// label gives a drawing a width, and a title and description for screen readers. The
// drawing's own text is already escaped.
func (o *ChartOptions) label(text, description string, s size) template.HTML {
	id := o.ID + s.class
	text = svgEmpty.ReplaceAllString(text, "")
	head := fmt.Sprintf(`<svg class="%s" width="%.0f" viewBox="$1" role="img" aria-labelledby="%st %sd"><title id="%st">%s</title><desc id="%sd">%s</desc>`,
		s.class, float64(s.width)*1.25, id, id, id, quoted(o.Title), id, quoted(description))
	return template.HTML(svgHead.ReplaceAllString(svgStyle.ReplaceAllString(text, ` class="none"`), head))
}

// quoted escapes a text for HTML and for a regular expression's replacement.
func quoted(s string) string { return strings.ReplaceAll(escape(s), "$", "$$") }

// lineWords describes a line chart in a sentence.
func lineWords(d *chart.Data) string {
	first, last := d.Span()
	_, most := chart.Extent(d.Points)
	runs := d.Runs()
	final := runs[len(runs)-1]
	return fmt.Sprintf("Line of %s from %s to %s; the greatest is %s, the last %s.", titleOf(d),
		first, last, words.Number(most), words.Number(final[len(final)-1].Number))
}

// RenderNote returns a text as a note; empty for an empty text.
func RenderNote(text string) template.HTML {
	if text == "" {
		return ""
	}
	return template.HTML(`<p class="note">` + escape(text) + "</p>")
}

// sentences joins notes into a text.
func sentences(notes []string) string { return words.Sentence(words.Spaced(strings.Join(notes, "; "))) }

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
// [chart.WidePoints].
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

func svgTicks(of []chart.Tick) []svg.Tick {
	return lists.Map(of, func(t chart.Tick) svg.Tick { return svg.Tick{Value: t.At, Label: t.Label} })
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

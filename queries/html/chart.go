package html

import (
	"fmt"
	"html/template"
	"strings"

	"hindsql/internal/chart"
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
		return o.lines(r, d)
	case d.Kind == chart.Bar && d.Whole(len(r.Rows)):
		body = execute("table", tableOf(r, &column{d.At, bars(d)}, o.TableOptions))
	default:
		o.Link = nil // a bar stands for several rows
		body = execute("table", tableOf(d.Set(), &column{1, bars(d)}, o.TableOptions))
	}
	return body + note(sentences(d.Notes)), nil
}

// lines returns the drawings of a line. A whole large screen gets its own drawing if it
// has room for more points.
func (o *ChartOptions) lines(r *result.Set, d *chart.Data) (template.HTML, error) {
	var body drawing
	for _, s := range sizes() {
		if err := o.line(&body, d, s); err != nil {
			return "", err
		}
	}
	body.Said = []said{sayOf(d, "")}
	if more := d.Fit(chart.Wide); o.Whole && len(more.Points) != len(d.Points) {
		if err := o.line(&body, more, full); err != nil {
			return "", err
		}
		body.Said = append(body.Said, sayOf(more, full.class))
		d = more
	}
	if d.Step != "" {
		o.Link, r = nil, d.Set() // a point stands for several rows
	}
	body.Table = tableOf(r, nil, o.TableOptions)
	return execute("drawing", body), nil
}

func (o *ChartOptions) line(to *drawing, d *chart.Data, s size) error {
	svg, err := drawLine(d, s)
	if err == nil {
		to.Charts = append(to.Charts, o.named(svg, lineWords(d), s))
	}
	return err
}

// drawing is the data of a chart's template.
type drawing struct {
	Said   []said // for all sizes, then for a whole large screen if it has its own drawing
	Charts []template.HTML
	Table  htmlTable
}

// said is the text beside a drawing.
type said struct{ Class, Title, Note string }

func sayOf(d *chart.Data, class string) said {
	return said{class, titleOf(d), sentences(d.PlotNotes())}
}

// titleOf returns a line's title, safe and not long. The column's name is a user's.
func titleOf(d *chart.Data) string { return clean(beginning(d.Title(), longestLabel)) }

// Whole reports whether a whole large screen has its own drawing.
func (d drawing) Whole() bool { return len(d.Said) > 1 }

// svgHead matches the library's beginning of a drawing. svgStyle matches the library's
// style attributes, which hide parts without a class. A page may forbid style
// attributes. svgEmpty matches the path of nothing that the library draws beside each
// dot.
var (
	svgHead  = pattern.Lazy(`^<svg [^>]*viewBox="([^"]*)">`)
	svgStyle = pattern.Lazy(` style="[^"]*"`)
	svgEmpty = pattern.Lazy(`<path  d="" [^>]*/>`)
)

// named gives a drawing a width, and a title and description for screen readers. The
// drawing's own text is already escaped.
func (o *ChartOptions) named(svg, words string, s size) template.HTML {
	id := o.ID + s.class
	svg = svgEmpty.ReplaceAllString(svg, "")
	head := fmt.Sprintf(`<svg class="%s" width="%.0f" viewBox="$1" role="img" aria-labelledby="%st %sd"><title id="%st">%s</title><desc id="%sd">%s</desc>`,
		s.class, float64(s.width)*1.25, id, id, id, quoted(o.Title), id, quoted(words))
	return template.HTML(svgHead.ReplaceAllString(svgStyle.ReplaceAllString(svg, ` class="none"`), head))
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

func note(text string) template.HTML {
	if text == "" {
		return ""
	}
	return template.HTML(`<p class="note">` + escape(text) + "</p>\n")
}

// sentences joins notes into a text.
func sentences(notes []string) string {
	return words.Sentence(Spaced(strings.Join(notes, "; ")))
}

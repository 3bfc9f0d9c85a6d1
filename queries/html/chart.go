package html

import (
	"fmt"
	"html/template"
	"strconv"
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
}

// Chart returns a result as a chart. A line becomes drawings for wide and narrow
// screens, with the numbers folded below. Other charts become a table with bars.
func Chart(r *result.Set, d *chart.Data, o ChartOptions) (body template.HTML, err error) {
	switch {
	case d.Kind == chart.Line:
		body, err = o.drawn(tableOf(r, nil, o.TableOptions), lineWords(d), func(s size) (string, error) { return drawLine(d, s) })
	case d.Kind == chart.Bar && d.Whole(len(r.Rows)):
		body = execute("table", tableOf(r, &column{d.At, bars(d)}, o.TableOptions))
	default:
		o.Link = nil // a bar stands for several rows
		body = execute("table", tableOf(d.Set(), &column{1, bars(d)}, o.TableOptions))
	}
	return body + note(sentences(d.Notes)), err
}

// Heat returns a result of two labels and a number as a heat map.
func Heat(r *result.Set, o ChartOptions) (template.HTML, error) {
	g := GridOf(r)
	o.Link = nil // a cell of the grid stands for several rows
	told := fmt.Sprintf("Heat map of %s by %s and %s; the greatest is %s.", Title(r.Columns[2]), Title(r.Columns[0]), Title(r.Columns[1]), words.Number(g.most))
	return o.drawn(tableOf(g.Table(r.Columns), nil, o.TableOptions), told, func(s size) (string, error) { return drawHeat(g, s) })
}

// drawn returns a drawing in each size, and the numbers as a table.
func (o *ChartOptions) drawn(numbers htmlTable, words string, draw func(size) (string, error)) (template.HTML, error) {
	var view struct {
		Charts []template.HTML
		Table  htmlTable
	}
	view.Table = numbers
	for _, s := range sizes() {
		svg, err := draw(s)
		if err != nil {
			return "", err
		}
		view.Charts = append(view.Charts, o.named(svg, words, s.class))
	}
	return execute("drawing", view), nil
}

// svgHead matches the library's beginning of a drawing. svgStyle matches the library's
// style attributes, which hide parts without a class. A page may forbid style
// attributes.
var (
	svgHead  = pattern.Lazy(`^<svg [^>]*viewBox="([^"]*)">`)
	svgStyle = pattern.Lazy(` style="[^"]*"`)
)

// named gives a drawing a width, and a title and description for screen readers. The
// drawing's own text is already escaped.
func (o *ChartOptions) named(svg, words, class string) template.HTML {
	widest, id := "", o.ID+class
	if m := svgHead.FindStringSubmatch(svg); m != nil {
		if box := strings.Fields(m[1]); len(box) == 4 { // a drawing of few cells isn't enlarged
			if width, err := strconv.ParseFloat(box[2], 64); err == nil {
				widest = fmt.Sprintf(` width="%.0f"`, width*1.25)
			}
		}
	}
	head := fmt.Sprintf(`<svg class="%s"%s viewBox="$1" role="img" aria-labelledby="%st %sd"><title id="%st">%s</title><desc id="%sd">%s</desc>`,
		class, widest, id, id, id, quoted(o.Title), id, quoted(words))
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
	return fmt.Sprintf("Line of %s from %s to %s; the greatest is %s, the last %s.", Spaced(d.Value),
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

package report

import (
	"bytes"
	_ "embed" // style.css and page.html
	"fmt"
	"html/template"
	"io"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"hindsql/chart"
	"hindsql/engine/result"
)

//go:embed style.css
var style string

//go:embed page.html
var page string

// HTML writes the document as one page: no script, nothing from elsewhere.
// Charts are inline SVG; their numbers are there as text too.
func (d *Document) HTML(w io.Writer) error {
	t, err := template.New("page").Funcs(template.FuncMap{
		"style":      func() template.CSS { return template.CSS(style) },
		"table":      func(r *result.Set) htmlTable { return tableOf(r, nil) },
		"at":         func(by string, t htmlTable) titledTable { return titledTable{by, t} },
		"paragraphs": paragraphs,
	}).Parse(page)
	if err != nil {
		return err
	}
	view := htmlPage{Document: d}
	for i := range d.Parts {
		part, err := htmlOf(&d.Parts[i], i+1)
		if err != nil {
			return err
		}
		view.Parts = append(view.Parts, part)
	}
	var b bytes.Buffer
	if err := t.Execute(&b, view); err != nil {
		return err
	}
	_, err = b.WriteTo(w)
	return err
}

type htmlPage struct {
	*Document
	Parts []htmlPart
}

// IDLetters is how much of an id is seen: as much as tells all of the page apart, 8
// letters at least.
func (p htmlPage) IDLetters() int {
	const least, most = 8, 36
	ids := map[string]bool{}
	for i := range p.Document.Parts {
		for k, c := range p.Document.Parts[i].Columns {
			if !isID(c) {
				continue
			}
			for _, row := range p.Document.Parts[i].Rows {
				id, _ := cutIndex(valueText(row[k], c))
				ids[id] = true
			}
		}
	}
	for n := least; n < most; n++ {
		short := map[string]bool{}
		for id := range ids {
			short[id[:min(len(id), n)]] = true
		}
		if len(short) == len(ids) {
			return n
		}
	}
	return most
}

// htmlPart is a section as the template wants it.
type htmlPart struct {
	*Part
	ID      int
	Empty   bool
	Charts  []template.HTML // the same drawing in several sizes
	Table   htmlTable
	Notes   string // what a chart doesn't draw as it is
	Details bool   // the table is what the chart shows, and begins closed
}

func htmlOf(p *Part, id int) (h htmlPart, err error) {
	h = htmlPart{Part: p, ID: id, Empty: len(p.Rows) == 0}
	draw := p.drawLine
	var data *chart.Data
	if p.Show.isChart() && !h.Empty {
		if data, err = p.Data(); err != nil {
			return h, err
		}
		h.Notes = sentences(data.Notes)
	}
	switch {
	case h.Empty || p.Show == Number:
		return h, nil
	case p.Show == Heat:
		h.Table = tableOf(gridOf(&p.Set).table(p.Columns), nil)
		draw = p.drawHeat
	case data != nil && data.Kind == chart.Line:
		h.Table = tableOf(&p.Set, nil)
	case data != nil && data.Kind == chart.Bar && whole(data, len(p.Rows)):
		h.Table = tableOf(&p.Set, &column{data.At, bars(data)})
		return h, nil
	case data != nil:
		h.Table = tableOf(points(data), &column{1, bars(data)})
		return h, nil
	default:
		h.Table = tableOf(said(&p.Set), nil)
		return h, nil
	}
	h.Details = true
	for _, s := range sizes() {
		svg, err := draw(s)
		if err != nil {
			return h, err
		}
		h.Charts = append(h.Charts, p.named(svg, fmt.Sprintf("c%d%s", id, s.class), s.class))
	}
	return h, nil
}

// titledTable is a table and the id of its heading.
type titledTable struct {
	By    string
	Table htmlTable
}

var svgHead = regexp.MustCompile(`^<svg [^>]*viewBox="([^"]*)">`)

// named gives a drawing its place, a name and a description for those who
// don't see it. The drawing's own text is escaped already.
func (p *Part) named(svg, id, class string) template.HTML {
	widest := ""
	if m := svgHead.FindStringSubmatch(svg); m != nil {
		if box := strings.Fields(m[1]); len(box) == 4 { // a drawing of few cells isn't blown up
			widest = fmt.Sprintf(` style="max-width: calc(%spx * 1.25)"`, box[2])
		}
	}
	head := fmt.Sprintf(`<svg class="%s"%s viewBox="$1" role="img" aria-labelledby="%st %sd"><title id="%st">%s</title><desc id="%sd">%s</desc>`,
		class, widest, id, id, id, quoted(p.Title), id, quoted(p.describe()))
	return template.HTML(svgHead.ReplaceAllString(svg, head))
}

// quoted is escaped, also for a regular expression's replacement.
func quoted(s string) string { return strings.ReplaceAll(template.HTMLEscapeString(s), "$", "$$") }

// describe says in a sentence what a chart shows.
func (p *Part) describe() string {
	if p.Show == Heat {
		g := gridOf(&p.Set)
		return fmt.Sprintf("Heat map of %s by %s and %s; the greatest is %s.", title(p.Columns[2]), title(p.Columns[0]), title(p.Columns[1]), floatText(g.most))
	}
	d, err := p.Data()
	if err != nil {
		return ""
	}
	first, last := d.Span()
	_, most := chart.Extent(d.Points)
	runs := d.Runs()
	final := runs[len(runs)-1]
	return fmt.Sprintf("Line of %s from %s to %s; the greatest is %s, the last %s.", spaced(d.Value),
		first, last, floatText(most), floatText(final[len(final)-1].Number))
}

// sentences are notes as a text of their own.
func sentences(notes []string) string {
	if len(notes) == 0 {
		return ""
	}
	text := spaced(strings.Join(notes, "; "))
	r, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(r)) + text[size:] + "."
}

// paragraphs are divided by empty lines.
func paragraphs(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n\n")
}

package report

import (
	"bytes"
	_ "embed" // style.css and page.html
	"fmt"
	"html/template"
	"io"
	"regexp"
	"strings"

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

// htmlPart is a section as the template wants it.
type htmlPart struct {
	*Part
	ID      int
	Empty   bool
	Charts  []template.HTML // the same drawing in several sizes
	Table   htmlTable
	Details bool // the table is what the chart shows, and begins closed
}

func htmlOf(p *Part, id int) (h htmlPart, err error) {
	h = htmlPart{Part: p, ID: id, Empty: len(p.Rows) == 0}
	draw := p.drawLine
	switch {
	case h.Empty || p.Show == Number:
		return h, nil
	case p.Show == Heat:
		h.Table = tableOf(gridOf(&p.Set).table(p.Columns), nil)
		draw = p.drawHeat
	case p.Show == Line && len(lines(&p.Set)) > 0:
		h.Table = tableOf(&p.Set, nil)
	case p.Show == Bars:
		h.Table = tableOf(&p.Set, p.bars())
		return h, nil
	default:
		h.Table = tableOf(&p.Set, nil)
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
	head := fmt.Sprintf(`<svg class="%s" viewBox="$1" role="img" aria-labelledby="%st %sd"><title id="%st">%s</title><desc id="%sd">%s</desc>`,
		class, id, id, id, quoted(p.Title), id, quoted(p.describe()))
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
	_, value := axes(&p.Set, Line)
	runs := lines(&p.Set)
	first, last := ends(runs)
	final := runs[len(runs)-1]
	form := timeForm(first, last, p.dates())
	return fmt.Sprintf("Line of %s from %s to %s; the greatest is %s, the last %s.", title(p.Columns[value]),
		first.Format(form), last.Format(form), floatText(greatest(&p.Set, value)), floatText(final[len(final)-1].value))
}

// paragraphs are divided by empty lines.
func paragraphs(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n\n")
}

package report

import (
	"bytes"
	_ "embed" // style.css and page.html
	"fmt"
	"html/template"
	"io"
	"strings"

	"hindsql/internal/printable"
	"hindsql/internal/result"
	"hindsql/queries/html"
)

//go:embed style.css
var style string

//go:embed page.html
var page string

// HTML writes the document as one page: no script, nothing from elsewhere.
// Charts are inline SVG; their numbers are there as text too.
func (d *Document) HTML(w io.Writer) error {
	t, err := template.New("page").Funcs(template.FuncMap{
		"style":      func() template.CSS { return template.CSS(html.Style() + style) },
		"alert":      func(r *result.Set) template.HTML { return html.Table(r, html.TableOptions{By: "alert"}) },
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
			if !html.IsID(c) {
				continue
			}
			for _, row := range p.Document.Parts[i].Rows {
				id, _ := html.CutIndex(html.Value(row[k], c))
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
	ID    int
	Empty bool
	Body  template.HTML
}

func htmlOf(p *Part, id int) (htmlPart, error) {
	body, err := p.Body(id, nil)
	return htmlPart{p, id, len(p.Rows) == 0, body}, err
}

// Body is the section's result as pieces of HTML, below a heading whose id is s and
// the given number; empty where there are no rows. link gives the URL of what a
// value leads to, by its row and its column; nil, or an empty one, for none.
func (p *Part) Body(id int, link func(row []any, column string) string) (template.HTML, error) {
	by := html.TableOptions{By: fmt.Sprintf("s%d", id)}
	set := said(p.seen())
	if link != nil {
		by.Link = func(row, column int) string { return link(p.Rows[row], set.Columns[column].Name) }
	}
	named := html.ChartOptions{ID: fmt.Sprintf("c%d", id), Title: p.Title, TableOptions: by}
	switch {
	case len(p.Rows) == 0:
		return "", nil
	case p.Show == Number:
		return html.Figures(p.figures(link)), nil
	case p.Show == Heat:
		return html.Heat(&p.Set, named)
	case p.Show == Diff:
		return html.Cards(p.cards()), nil
	case p.Show == Talk:
		return p.talks(id), nil
	case p.Show.isChart():
		data, err := p.Data()
		if err != nil {
			return "", err
		}
		named.Link = nil
		if link != nil {
			named.Link = func(row, column int) string { return link(p.Rows[row], p.Columns[column].Name) }
		}
		return html.Chart(&p.Set, data, named)
	}
	return html.Table(set, by), nil
}

// figures are the numbers, each with what it leads to.
func (p *Part) figures(link func(row []any, column string) string) []html.Figure {
	all := p.Figures()
	if link == nil {
		return all
	}
	for i, f := range all {
		for k, title := range html.Titles(p.Columns) {
			if title == f.Label {
				all[i].Link = link(p.Rows[0], p.Columns[k].Name)
			}
		}
	}
	return all
}

// talks are the sessions as conversations, each with ids of its own.
func (p *Part) talks(id int) (body template.HTML) {
	for i, c := range p.Sessions {
		head := template.HTMLEscapeString(printable.Line(heading(c)))
		body += template.HTML(`<h3>`+head+`</h3><div class="conversation">`) + //nolint:gosec // escaped
			html.Conversation(c, html.Links{ID: fmt.Sprintf("s%d-%d-", id, i+1)}) + "</div>"
	}
	return body
}

// paragraphs are divided by empty lines.
func paragraphs(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n\n")
}

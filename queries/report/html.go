package report

import (
	"bytes"
	_ "embed" // style.css and page.html
	"fmt"
	"html/template"
	"io"

	"hindsql/internal/printable"
	"hindsql/internal/result"
	"hindsql/queries/html"
)

//go:embed style.css
var style string

//go:embed page.html
var page string

// HTML writes the document as one page without scripts or content from other sites.
// Charts are inline SVG, with the numbers also as text.
func (d *Document) HTML(w io.Writer) error {
	t, err := template.New("page").Funcs(template.FuncMap{
		"head":       func() template.HTML { return html.FileHead },
		"style":      func() template.CSS { return template.CSS(html.Style() + style) },
		"alert":      func(r *result.Set) template.HTML { return html.Table(r, html.TableOptions{By: "alert"}) },
		"paragraphs": html.Paragraphs,
	}).Parse(page)
	if err != nil {
		return err
	}
	view := htmlPage{Document: d}
	for i := range d.Parts {
		p := &d.Parts[i]
		body, err := p.Body(i+1, nil)
		if err != nil {
			return err
		}
		view.Parts = append(view.Parts, htmlPart{p, i + 1, len(p.Rows) == 0, body})
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

// IDLetters returns how many letters of an id are shown: enough to make all ids on the
// page different, and 8 at least.
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

// htmlPart is a section in the template's form.
type htmlPart struct {
	*Part
	ID    int
	Empty bool
	Body  template.HTML
}

// Body returns the section's result as HTML, for a heading whose element id is s and
// the given number. Body is empty if the section has no rows. link returns the URL for
// a value, by row and column. If link is nil or the URL empty, the value has no link.
func (p *Part) Body(id int, link func(row []any, column string) string) (template.HTML, error) {
	by := html.TableOptions{By: fmt.Sprintf("s%d", id)}
	set, note := brief(withoutEmptyColumns(p.visible()))
	if link != nil && p.Show != Heat { // a cell of a grid stands for several rows
		by.Link = func(row, column int) string { return link(p.Rows[row], set.Columns[column].Name) }
	}
	named := html.ChartOptions{ID: fmt.Sprintf("c%d", id), Title: p.Title, TableOptions: by}
	switch {
	case len(p.Rows) == 0:
		return "", nil
	case p.Show == Number:
		return html.Figures(p.figures(link)), nil
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
		short, note := brief(&p.Set)
		body, err := html.Chart(short, data, named)
		return body + html.RenderNote(note), err
	}
	return html.Table(set, by) + html.RenderNote(note), nil
}

// figures returns the key numbers with their links.
func (p *Part) figures(link func(row []any, column string) string) []html.Figure {
	all := p.Figures()
	if link == nil {
		return all
	}
	for i, f := range all {
		all[i].Link = link(p.Rows[0], f.Column)
	}
	return all
}

// talks returns the sessions as conversations, each with its own prefix of ids.
func (p *Part) talks(id int) (body template.HTML) {
	for i, c := range p.Sessions {
		head := template.HTMLEscapeString(printable.Line(heading(c)))
		body += template.HTML(`<h3>`+head+`</h3><div class="conversation">`) + //nolint:gosec // escaped
			html.Conversation(c, html.Links{ID: fmt.Sprintf("s%d-%d-", id, i+1)}) + "</div>"
	}
	return body
}

package report

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // mail.html
	"encoding/hex"
	"fmt"
	"html/template"
	"io"
	"mime"
	"mime/quotedprintable"
	"strings"

	"hindsql/internal/chart"
	"hindsql/internal/printable"
	"hindsql/internal/result"
	"hindsql/queries/html"
)

//go:embed mail.html
var mailPage string

// Mail writes the document as a mail with headers, as sendmail -t reads it: a text, and
// the same as HTML. Mail programs drop scripts, style sheets and SVG, so charts are
// cells of tables, and styles stand in each element. To: is [Document.To].
func (d *Document) Mail(w io.Writer, s Screen) error {
	var plain, page bytes.Buffer
	s.Bold = false
	if err := d.Plain(&plain, s); err != nil {
		return err
	}
	if err := d.mailPage(&page); err != nil {
		return err
	}
	sum := sha256.Sum256(append(plain.Bytes(), page.Bytes()...)) // equal reports are equal mails
	boundary := "hindsql-" + hex.EncodeToString(sum[:12])
	var out bytes.Buffer
	if d.To != "" {
		fmt.Fprintf(&out, "To: %s\n", header(d.To))
	}
	subject := mime.QEncoding.Encode("utf-8", printable.Line(fmt.Sprintf("%s: %s", d.Title, d.Period)))
	fmt.Fprintf(&out, "Subject: %s\nMIME-Version: 1.0\nAuto-Submitted: auto-generated\nContent-Type: multipart/alternative; boundary=\"%s\"\n", header(subject), boundary)
	for _, part := range []struct {
		kind string
		body *bytes.Buffer
	}{{"plain", &plain}, {"html", &page}} {
		fmt.Fprintf(&out, "\n--%s\nContent-Type: text/%s; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\n", boundary, part.kind)
		encoded := quotedprintable.NewWriter(&out)
		if _, err := part.body.WriteTo(encoded); err != nil {
			return err
		}
		if err := encoded.Close(); err != nil {
			return err
		}
	}
	fmt.Fprintf(&out, "\n--%s--\n", boundary)
	_, err := w.Write(bytes.ReplaceAll(out.Bytes(), []byte("\r\n"), []byte("\n"))) // sendmail reads lines of this system
	return err
}

// header returns a text as a header's value: without line breaks, which would begin a
// further header.
func header(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == '\r' || r == '\n' }), " ")
}

func (d *Document) mailPage(w io.Writer) error {
	t, err := template.New("mail").Funcs(template.FuncMap{"paragraphs": paragraphs}).Parse(mailPage)
	if err != nil {
		return err
	}
	view := struct {
		Title, Text string
		Period      Period
		Alert       *mailTable
		Parts       []mailPart
	}{Title: d.Title, Text: d.Text, Period: d.Period}
	if d.Alerts() {
		alert := mailTableOf("", d.Alert)
		view.Alert = &alert
	}
	for i := range d.Parts {
		part, err := d.Parts[i].mail()
		if err != nil {
			return err
		}
		view.Parts = append(view.Parts, part)
	}
	return t.Execute(w, view)
}

// mailPart is a section in the template's form. Only what the section shows is set.
type mailPart struct {
	Title, Text, Note, Nothing string
	Figures                    []html.Figure
	Bars                       []mailBar
	Line                       *mailLine
	Cards                      []mailCard
	Tables                     []mailTable
}

// mailBar is a point of a chart: its share of the greatest number in percent, and as a
// height in pixels.
type mailBar struct {
	Label, Text           string
	Percent, Rest, Height int
}

type mailLine struct {
	Points            []mailBar
	First, Last, Most string
}

type mailCard struct {
	Head             []string
	File, Code, Said string
}

type mailTable struct {
	Title string
	Head  []mailCell
	Rows  [][]mailCell
	Note  string
}

type mailCell struct {
	Text, Align string
	Short       bool // stays on one line
	Lines       []string
}

// mostColumns is the number of columns that a chart in a mail may have: each is some
// pixels wide.
const mostColumns = 120

func (p *Part) mail() (m mailPart, err error) {
	m = mailPart{Title: p.Title, Text: p.Text, Note: p.Note}
	switch {
	case len(p.Rows) == 0:
		m.Nothing = p.Nothing()
	case p.Show == Number:
		m.Figures = p.Figures()
	case p.Show == Heat:
		m.Tables = []mailTable{mailTableOf("", html.GridOf(&p.Set).Table(p.Columns))}
	case p.Show == Diff:
		for _, c := range p.cards() {
			m.Cards = append(m.Cards, mailCard{c.Head, c.File, shortened(strings.TrimSpace(c.Diff + c.Command)), c.Said})
		}
	case p.Show == Talk:
		for _, c := range p.Sessions {
			m.Tables = append(m.Tables, mailTableOf(printable.Line(heading(c)), said(talk(c))))
		}
	case p.Show.isChart():
		err = p.mailChart(&m)
	default:
		m.Tables = []mailTable{mailTableOf("", said(p.seen()))}
	}
	return m, err
}

// mailChart draws bars as rows of a table, and a line or histogram as columns beside
// each other. Columns of the result that the chart doesn't draw follow in a table.
func (p *Part) mailChart(m *mailPart) error {
	d, err := p.Data()
	if err != nil {
		return err
	}
	_, most := chart.Extent(d.Points)
	var points []mailBar
	text := ""
	for _, point := range d.Points {
		b := mailBar{Label: point.Label, Text: point.Text, Rest: 100, Height: 1}
		if point.IsNumber() && point.Number > 0 && most > 0 {
			b.Percent = max(1, int(point.Number/most*100+0.5))
			b.Rest, b.Height = 100-b.Percent, max(1, int(point.Number/most*60+0.5))
		}
		if point.IsNumber() && point.Number == most {
			text = point.Text
		}
		points = append(points, b)
	}
	switch {
	case d.Kind == chart.Bar:
		m.Bars = points[:min(len(points), html.ShownRows)]
	case len(points) > 0 && len(points) <= mostColumns:
		m.Line = &mailLine{points, points[0].Label, points[len(points)-1].Label, text}
	default:
		m.Tables = append(m.Tables, mailTableOf("", d.Set()))
	}
	if seen := p.seen(); d.Kind == chart.Bar && len(seen.Columns) > 2 {
		m.Tables = append(m.Tables, mailTableOf("", said(seen)))
	}
	return nil
}

func mailTableOf(title string, r *result.Set) mailTable {
	t := mailTable{Title: title, Note: html.CutNote(r, html.ShownRows)}
	align := func(c result.Column) string {
		if c.IsNumber() {
			return "right"
		}
		return "left"
	}
	for i, title := range html.Titles(r.Columns) {
		t.Head = append(t.Head, mailCell{Text: title, Align: align(r.Columns[i])})
	}
	for _, row := range r.Rows[:min(len(r.Rows), html.ShownRows)] {
		var cells []mailCell
		for i, v := range row {
			text := shortened(printable.Text(html.Value(v, r.Columns[i])))
			if html.IsID(r.Columns[i]) {
				id, index := html.CutIndex(text)
				text = id[:min(len(id), shownID)] + index
			}
			cells = append(cells, mailCell{Align: align(r.Columns[i]), Short: len(text) <= shortText, Lines: strings.Split(text, "\n")})
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

// shownID is the number of letters of an id in a mail, which every command takes.
// shortText is the length up to which a value is kept on one line.
const shownID, shortText = 8, 16

// mailedText is the number of characters of a value in a mail.
const mailedText = 2000

// shortened cuts a long text.
func shortened(text string) string {
	if letters := []rune(text); len(letters) > mailedText {
		return string(letters[:mailedText]) + "…"
	}
	return text
}

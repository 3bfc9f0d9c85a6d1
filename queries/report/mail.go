package report

import (
	"bytes"
	"cmp"
	_ "embed" // mail.html
	"fmt"
	"html/template"
	"io"
	"mime/quotedprintable"
	"slices"
	"strings"
	"time"

	"hindsql/internal/chart"
	"hindsql/internal/printable"
	"hindsql/internal/result"
	"hindsql/internal/words"
	"hindsql/queries/html"
)

//go:embed mail.html
var mailPage string

// Mail writes the document as a mail with headers, as sendmail -t reads it: a text, and
// the same as HTML. Mail programs drop scripts, style sheets and SVG, so charts are
// cells of tables, and styles stand in each element.
func (d *Document) Mail(w io.Writer, s Screen) error {
	var plain, page bytes.Buffer
	s.Bold = false
	short := d.shortened()
	if err := short.Plain(&plain, s); err != nil {
		return err
	}
	fmt.Fprintf(&plain, "\n-- \n%s\n", short.fullTextsHint())
	if err := short.mailPage(&page); err != nil {
		return err
	}
	sum := d.Envelope.sum(plain.Bytes(), page.Bytes())
	boundary := "hindsql-" + sum[:24]
	var out bytes.Buffer
	out.WriteString(d.Envelope.header(d.Title+": "+d.Period.String(), sum))
	fmt.Fprintf(&out, "MIME-Version: 1.0\nAuto-Submitted: auto-generated\nContent-Type: multipart/alternative; boundary=\"%s\"\n", boundary)
	for _, part := range []struct {
		kind string
		body *bytes.Buffer
	}{{"plain", &plain}, {"html", &page}} {
		fmt.Fprintf(&out, "\n--%s\nContent-Type: text/%s; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\n", boundary, part.kind)
		text, err := quotedPrintable(part.body.Bytes())
		if err != nil {
			return err
		}
		out.Write(text)
	}
	fmt.Fprintf(&out, "\n--%s--\n", boundary)
	_, err := w.Write(out.Bytes())
	return err
}

// quotedPrintable returns a text in quoted-printable, with this system's line ends, as
// sendmail reads them. A dot alone on a line would end a mail for some programs.
func quotedPrintable(text []byte) ([]byte, error) {
	var out bytes.Buffer
	w := quotedprintable.NewWriter(&out)
	if _, err := w.Write(text); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	lines := bytes.Split(bytes.ReplaceAll(out.Bytes(), []byte("\r\n"), []byte("\n")), []byte("\n"))
	for i, line := range lines {
		if string(line) == "." {
			lines[i] = []byte("=2E")
		}
	}
	return bytes.Join(lines, []byte("\n")), nil
}

// shortened returns the document without the ends of long diffs and long tables, which
// the text of a file has whole.
func (d *Document) shortened() *Document {
	short := *d
	short.Parts = slices.Clone(d.Parts)
	for i := range short.Parts {
		p := &short.Parts[i]
		p.Set = withoutLongDiffs(p.Set)
		if note := html.CutNote(&p.Set, html.ShownRows); note != "" && (p.Show == Table || p.Show == Diff) {
			p.Rows = p.Rows[:html.ShownRows]
			p.Note = strings.TrimSpace(p.Note + " " + note)
		}
	}
	return &short
}

// withoutLongDiffs returns a result whose diffs end after some letters, and say so.
func withoutLongDiffs(set result.Set) result.Set {
	short := result.Set{Columns: set.Columns}
	for _, row := range set.Rows {
		row = slices.Clone(row)
		for i, v := range row {
			if text, ok := v.(string); ok && isDiff(set.Columns[i]) {
				row[i], _ = words.CutCounted(text, mailedText, words.Letters)
			}
		}
		short.Rows = append(short.Rows, row)
	}
	return short
}

// mailedText is the number of letters of a diff or command in a mail.
const mailedText = 2000

// fullTextsHint says at a mail's end how to get the texts that the mail cuts.
func (d *Document) fullTextsHint() string {
	return fmt.Sprintf("Made by hindsql from agents' logs. On the same machine, all texts are whole with\nhindsql report run %s since=%s until=%s --format json",
		d.Name, d.Period.Since.Format(time.RFC3339), d.Period.Until.Format(time.RFC3339))
}

func (d *Document) mailPage(w io.Writer) error {
	t, err := template.New("mail").Funcs(template.FuncMap{"paragraphs": html.Paragraphs}).Parse(mailPage)
	if err != nil {
		return err
	}
	view := struct {
		Title, Text, Whole string
		Period             Period
		Alert              *mailTable
		Parts              []mailPart
	}{Title: d.Title, Text: d.Text, Whole: d.fullTextsHint(), Period: d.Period}
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
	First, Last, Told string // Told has the greatest number, and the sum of a count
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
		m.Nothing = p.EmptyText()
	case p.Show == Number:
		m.Figures = p.Figures()
	case p.Show == Diff:
		for _, c := range p.cards() {
			code, _ := words.CutCounted(c.Diff+c.Command, mailedText+longestCount, words.Letters) // a diff is short already
			m.Cards = append(m.Cards, mailCard{c.Head, c.File, strings.TrimSpace(code), c.Said})
		}
	case p.Show == Talk:
		for _, c := range p.Sessions {
			table := mailTableOf(printable.Line(heading(c)), withoutEmptyColumns(conversationRows(c)))
			table.Note = cmp.Or(cutTextsNote(c), table.Note)
			m.Tables = append(m.Tables, table)
		}
	case p.Show.isChart():
		err = p.mailChart(&m)
	default:
		m.Tables = []mailTable{mailTableOf("", withoutEmptyColumns(p.visible()))}
	}
	return m, err
}

// mailChart draws bars as rows of a table, and a line as columns beside each other.
// Columns of the result that the chart doesn't draw follow in a table.
func (p *Part) mailChart(m *mailPart) error {
	d, err := p.Data()
	if err != nil {
		return err
	}
	_, most := chart.Extent(d.Points)
	var points []mailBar
	for _, point := range d.Points {
		b := mailBar{Label: words.Line(point.Label, mostInCell), Text: point.Text, Rest: 100, Height: 1}
		if point.IsNumber() && point.Number > 0 && most > 0 {
			b.Percent = max(1, int(point.Number/most*100+0.5))
			b.Rest, b.Height = 100-b.Percent, max(1, int(point.Number/most*60+0.5))
		}
		points = append(points, b)
	}
	switch {
	case d.Kind == chart.Bar:
		m.Bars = points[:min(len(points), html.ShownRows)]
		m.Note = strings.TrimSpace(m.Note + " " + html.CutNote(&result.Set{Rows: make([][]any, len(points))}, html.ShownRows))
	case len(points) > 0 && len(points) <= mostColumns:
		m.Line = &mailLine{points, points[0].Label, points[len(points)-1].Label, summary(d, most)}
	default:
		m.Tables = append(m.Tables, mailTableOf("", d.Set()))
	}
	if seen := p.visible(); d.Kind == chart.Bar && len(seen.Columns) > 2 && !p.hasRanges() {
		m.Tables = append(m.Tables, mailTableOf("", withoutEmptyColumns(seen)))
	}
	return nil
}

func mailTableOf(title string, whole *result.Set) mailTable {
	r, cut := brief(whole)
	t := mailTable{Title: title, Note: strings.TrimSpace(html.CutNote(r, html.ShownRows) + " " + cut)}
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
			text := printable.Text(html.Value(v, r.Columns[i]))
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
// shortText is the length up to which a value is kept on one line. longestCount is the
// length of the words behind a cut text.
const shownID, shortText, longestCount = 8, 16, 60

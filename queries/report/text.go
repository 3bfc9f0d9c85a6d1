package report

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"hindsql/internal/chart"
	"hindsql/internal/result"
	"hindsql/internal/words"
	"hindsql/queries/html"
)

// Screen draws the tables and charts of a document in text format.
type Screen struct {
	Bold  bool // headings are bold, by ANSI codes
	ASCII bool // bars are of ASCII signs
	Width int  // line length of paragraphs, in letters; 0 for no line breaks
	// Draw writes rows as a table, as lines, or as a chart, with NULL as empty text. of
	// declares the chart.
	Draw func(w io.Writer, as Drawing, rows *result.Rows, of *chart.Declaration) error
}

// Drawing is a way to show rows in text.
type Drawing string

// The ways to show rows in text.
const (
	AsTable Drawing = "table"
	AsLines Drawing = "line" // each value on its own line
	AsChart Drawing = "chart"
)

// Plain writes the document as text, for a terminal or a mail.
func (d *Document) Plain(w io.Writer, s Screen) error {
	t := &text{screen: s}
	t.heading(d.Title, "=")
	fmt.Fprintf(&t.out, "%s\n", d.Period)
	t.paragraph(d.Text)
	if d.Alerts() {
		t.heading("\nAlert", "-")
		t.brief(d.Alert)
	}
	for i := range d.Parts {
		t.part(&d.Parts[i])
	}
	if t.err != nil {
		return t.err
	}
	_, err := t.out.WriteTo(w)
	return err
}

// text is the state while writing a document. It keeps the first error.
type text struct {
	out    bytes.Buffer
	screen Screen
	err    error
}

func (t *text) heading(s, under string) {
	bold, plain := "", ""
	if t.screen.Bold {
		bold, plain = "\x1b[1m", "\x1b[0m"
	}
	shown := strings.TrimLeft(s, "\n")
	lead := s[:len(s)-len(shown)]
	fmt.Fprintf(&t.out, "%s%s%s%s\n%s\n", lead, bold, shown, plain, strings.Repeat(under, len([]rune(shown))))
}

func (t *text) paragraph(s string) {
	if s == "" {
		return
	}
	for i, part := range strings.Split(s, "\n\n") {
		if i > 0 {
			t.out.WriteString("\n")
		}
		t.lines(part)
	}
}

// lines writes a paragraph in lines that fit the width.
func (t *text) lines(s string) {
	used := 0
	for i, word := range strings.Fields(s) {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case t.screen.Width > 0 && used+1+n > t.screen.Width:
			t.out.WriteString("\n")
			used = 0
		default:
			t.out.WriteString(" ")
			used++
		}
		t.out.WriteString(word)
		used += n
	}
	t.out.WriteString("\n")
}

func (t *text) draw(as Drawing, set *result.Set) {
	t.chart(as, set, nil)
}

func (t *text) chart(as Drawing, set *result.Set, of *chart.Declaration) {
	if err := t.screen.Draw(&t.out, as, set.Read(), of); t.err == nil {
		t.err = err
	}
}

func (t *text) part(p *Part) {
	t.heading("\n"+p.Title, "-")
	t.paragraph(p.Text)
	t.paragraph(p.Note)
	switch {
	case len(p.Rows) == 0:
		t.paragraph(p.EmptyText())
	case p.Show == Number:
		t.figures(p.Figures())
	case p.Show == Talk:
		for _, c := range p.Sessions {
			t.paragraph(heading(c))
			t.draw(AsLines, withoutEmptyColumns(conversationRows(c)))
			t.paragraph(cutTextsNote(c))
		}
	case p.Show.isChart():
		t.drawChart(p)
	default:
		t.brief(withoutEmptyColumns(p.visible()))
	}
}

// drawChart writes a chart, a line as one line of bars. Further columns stand beside
// the bars, or below the chart if the query hides columns or has diffs.
func (t *text) drawChart(p *Part) {
	d, err := p.Data()
	if err != nil {
		t.err = cmp.Or(t.err, err)
		return
	}
	if s, ok := t.screen.strip(d); ok {
		t.paragraph(s.Title)
		fmt.Fprintf(&t.out, "%s\n", s.Bars)
		t.paragraph(s.caption(d))
		return
	}
	seen, label := p.visible(), 1
	if p.Chart != nil {
		label = max(1, len(p.Chart.Label))
	}
	switch {
	case d.Kind != chart.Bar || len(seen.Columns) <= label+1 || !d.HasBarPerRow(len(p.Rows)):
		t.chart(AsChart, &p.Set, p.Chart)
	case drawingFor(seen) == AsTable && len(p.Hidden) == 0:
		t.brief(withBars(&p.Set, d))
	default:
		t.chart(AsChart, &p.Set, p.Chart)
		t.out.WriteString("\n")
		t.brief(seen)
	}
}

// strip returns a line as one line of bars. A narrow screen has fewer of them.
func (s *Screen) strip(d *chart.Data) (strip, bool) {
	if s.Width > 0 && s.Width < chart.UsualPoints {
		d = d.Fit(s.Width)
	}
	if s.ASCII {
		return stripOf(d, letters, ' ')
	}
	return stripOf(d, blocks, '·')
}

// brief writes a table without the ends of long texts, and says so.
func (t *text) brief(set *result.Set) {
	short, note := brief(set)
	t.draw(drawingFor(short), short)
	t.paragraph(note)
}

// withBars returns a result with a column of bars after the column of the numbers.
func withBars(r *result.Set, d *chart.Data) *result.Set {
	const cells, parts = 24, 8
	eighths := []rune(" ▏▎▍▌▋▊▉")
	_, most := chart.Extent(d.Points)
	set := &result.Set{Columns: slices.Insert(slices.Clone(r.Columns), d.At+1, result.Column{Name: " ", Type: "VARCHAR"})}
	for i, row := range r.Rows {
		bar := ""
		if n := d.Points[i].Number; n > 0 {
			filled := max(1, int(n/most*cells*parts))
			bar = strings.TrimRight(strings.Repeat("█", filled/parts)+string(eighths[filled%parts]), " ")
		}
		set.Rows = append(set.Rows, slices.Insert(slices.Clone(row), d.At+1, any(bar)))
	}
	return set
}

// drawingFor returns how to write rows: as a table or, with diffs, which keep their
// lines, one value a line.
func drawingFor(set *result.Set) Drawing {
	if slices.ContainsFunc(set.Columns, isDiff) {
		return AsLines
	}
	return AsTable
}

func (t *text) figures(all []html.Figure) {
	label, value := 0, 0
	for _, f := range all {
		label, value = max(label, len([]rune(f.Label))), max(value, len([]rune(f.Value)))
	}
	for _, f := range all {
		line := fmt.Sprintf("%-*s  %*s  %s", label, f.Label, value, f.Value, f.Comparison())
		t.out.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}

// Limits for texts in a document for people, in letters. JSON has all of each text.
const (
	mostInCell = 300
	mostOnCard = 1000
)

// cutNote stands below a table with cut texts.
const cutNote = "Texts with … are cut; --format json has them whole."

// brief returns a result with each text on one line, and with long texts cut. Diffs stay
// whole. cut is the note to write below the result; empty if nothing is cut.
func brief(r *result.Set) (short *result.Set, cut string) {
	short = &result.Set{Columns: r.Columns}
	for _, row := range r.Rows {
		row = slices.Clone(row)
		for i, v := range row {
			text, ok := v.(string)
			if !ok || r.Columns[i].Type != "VARCHAR" || isDiff(r.Columns[i]) {
				continue
			}
			line := words.Line(text, mostInCell)
			if strings.HasSuffix(line, "…") && !strings.HasSuffix(text, "…") {
				cut = cutNote
			}
			row[i] = line
		}
		short.Rows = append(short.Rows, row)
	}
	return short, cut
}

// isDiff reports whether a column holds diffs, by its name.
func isDiff(c result.Column) bool { return strings.HasSuffix(c.Name, "diff") }

// strip is a line chart as one line of bars, for text and Markdown.
type strip struct {
	Title   string // of the points, and their first and last time
	Bars    string // a letter for each step; a dot stands for a step without a number
	Summary string // the greatest number, and the sum of a count
}

// The letters of bars. The first stands for zero.
var (
	blocks  = []rune("▁▂▃▄▅▆▇█")
	letters = []rune("_.:-=+*#")
)

// stripOf returns a line's strip; ok is false for other charts, and for numbers below
// zero, which such bars can't show.
func stripOf(d *chart.Data, bars []rune, none rune) (s strip, ok bool) {
	if d.Kind != chart.Line {
		return s, false
	}
	least, most := chart.Extent(d.Points)
	if least < 0 {
		return s, false
	}
	var b strings.Builder
	for _, n := range d.Steps() {
		switch {
		case math.IsNaN(n):
			b.WriteRune(none)
		case n == 0 || most == 0:
			b.WriteRune(bars[0])
		default:
			b.WriteRune(bars[max(1, int(math.Ceil(n/most*float64(len(bars)-1))))])
		}
	}
	first, last := d.Span()
	s = strip{fmt.Sprintf("%s, %s to %s", d.Title(), first, last), b.String(), summary(d, most)}
	return s, true
}

// caption returns the words below the bars.
func (s *strip) caption(d *chart.Data) string {
	return words.Sentence(words.Spaced(strings.Join(append([]string{s.Summary}, d.Notes...), "; ")))
}

// summary returns the greatest number with its time, the sum of a count, and the last
// number.
func summary(d *chart.Data, most float64) string {
	sum, last, at := 0.0, "", ""
	greatest := ""
	for i := range d.Points {
		p := &d.Points[i]
		if !p.IsNumber() {
			continue
		}
		if sum += p.Number; p.Number == most && greatest == "" {
			greatest, at = p.Text, d.Moment(p)
		}
		last = p.Text
	}
	told := fmt.Sprintf("greatest %s (%s), last %s", greatest, at, last)
	if d.Count {
		told += ", sum " + words.Amount(strconv.FormatFloat(math.Round(sum*100)/100, 'f', -1, 64))
	}
	return told
}

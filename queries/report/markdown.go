package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"hindsql/internal/printable"
	"hindsql/internal/result"
	"hindsql/queries/html"
)

// Markdown writes the document as GitHub's Markdown. A line becomes one line of bars,
// other charts become tables.
func (d *Document) Markdown(out io.Writer) error {
	w := bufio.NewWriter(out)
	fmt.Fprintf(w, "# %s\n\n*%s*\n", markdown(d.Title), d.Period)
	paragraph(w, d.Text)
	if d.Alerts() {
		w.WriteString("\n## Alert\n")
		markdownTable(w, d.Alert)
	}
	for i := range d.Parts {
		d.Parts[i].markdown(w)
	}
	return w.Flush()
}

func paragraph(w *bufio.Writer, text string) {
	if text != "" {
		fmt.Fprintf(w, "\n%s\n", text)
	}
}

func (p *Part) markdown(w *bufio.Writer) {
	fmt.Fprintf(w, "\n## %s\n", markdown(p.Title))
	paragraph(w, p.Text)
	if p.Note != "" {
		fmt.Fprintf(w, "\n*%s*\n", p.Note)
	}
	switch {
	case len(p.Rows) == 0:
		fmt.Fprintf(w, "\n%s\n", markdown(p.EmptyText()))
	case p.Show == Number:
		w.WriteString("\n")
		for _, f := range p.Figures() {
			fmt.Fprintf(w, "- **%s** %s", f.Value, markdown(f.Label))
			if told := f.Comparison(); told != "" {
				fmt.Fprintf(w, " (%s)", told)
			}
			w.WriteString("\n")
		}
	case p.Show == Diff:
		markdownCards(w, p.cards())
	case p.Show == Talk:
		for _, c := range p.Sessions {
			fmt.Fprintf(w, "\n### %s\n", markdown(heading(c)))
			markdownTable(w, withoutEmptyColumns(conversationRows(c)))
			if note := cutTextsNote(c); note != "" {
				fmt.Fprintf(w, "\n*%s*\n", markdown(note))
			}
		}
	case p.Show == Line && p.markdownStrip(w):
	case p.hasRanges():
		if d, err := p.Data(); err == nil {
			markdownTable(w, d.Set())
		}
	default:
		short, note := brief(withoutEmptyColumns(p.visible()))
		markdownTable(w, short)
		if note != "" {
			fmt.Fprintf(w, "\n*%s*\n", note)
		}
	}
}

// markdownStrip writes a line as one line of bars; false if bars can't show the line.
func (p *Part) markdownStrip(w *bufio.Writer) bool {
	d, err := p.Data()
	if err != nil {
		return false
	}
	s, ok := stripOf(d, blocks, '·')
	if ok {
		said := s.caption(d)
		fmt.Fprintf(w, "\n%s\n\n`%s`\n\n%s\n", markdown(s.Title), s.Bars, markdown(said))
	}
	return ok
}

func markdownTable(w *bufio.Writer, r *result.Set) {
	w.WriteString("\n|")
	for _, title := range html.Titles(r.Columns) {
		w.WriteString(" " + markdown(title) + " |")
	}
	w.WriteString("\n|")
	for _, c := range r.Columns {
		if c.IsNumber() {
			w.WriteString(" ---: |")
		} else {
			w.WriteString(" --- |")
		}
	}
	for _, row := range r.Rows[:min(len(r.Rows), html.ShownRows)] {
		w.WriteString("\n|")
		for i, v := range row {
			w.WriteString(" " + markdown(html.Value(v, r.Columns[i])) + " |")
		}
	}
	w.WriteString("\n")
	if note := html.CutNote(r, html.ShownRows); note != "" {
		w.WriteString("\n*" + note + "*\n")
	}
}

// markdown escapes a text for one line of Markdown. Unprintable characters become
// codes.
func markdown(s string) string {
	s = printable.Text(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(s))
	return strings.NewReplacer(`\`, `\\`, "|", `\|`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "<", "&lt;", "&", "&amp;",
		"#", `\#`, "~", `\~`, "\n", "<br>").Replace(s)
}

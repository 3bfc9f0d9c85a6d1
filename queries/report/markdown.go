package report

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strings"

	"hindsql/engine/result"
)

// shownRows are the most rows of a table that HTML, Markdown and text show.
const shownRows = 100

// Markdown writes the document as GitHub's Markdown. Charts are tables.
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
		fmt.Fprintf(w, "\n%s\n", markdown(p.Nothing()))
	case p.Show == Number:
		w.WriteString("\n")
		for _, f := range p.Figures() {
			fmt.Fprintf(w, "- **%s** %s (%s)\n", f.Value, markdown(f.Label), f.Told())
		}
	case p.Show == Heat:
		markdownTable(w, gridOf(&p.Set).table(p.Columns))
	case p.Show == Hist:
		if d, err := p.Data(); err == nil {
			markdownTable(w, points(d))
		}
	default:
		markdownTable(w, said(&p.Set))
	}
}

func markdownTable(w *bufio.Writer, r *result.Set) {
	w.WriteString("\n|")
	for _, c := range r.Columns {
		w.WriteString(" " + markdown(title(c)) + " |")
	}
	w.WriteString("\n|")
	for _, c := range r.Columns {
		if c.IsNumber() {
			w.WriteString(" ---: |")
		} else {
			w.WriteString(" --- |")
		}
	}
	for _, row := range r.Rows[:min(len(r.Rows), shownRows)] {
		w.WriteString("\n|")
		for i, v := range row {
			w.WriteString(" " + markdown(valueText(v, r.Columns[i])) + " |")
		}
	}
	w.WriteString("\n")
	if note := cutNote(r); note != "" {
		w.WriteString("\n*" + note + "*\n")
	}
}

// cutNote says how many rows aren't shown.
func cutNote(r *result.Set) string {
	if len(r.Rows) <= shownRows {
		return ""
	}
	return fmt.Sprintf("The first %d of %s rows.", shownRows, grouped(fmt.Sprint(len(r.Rows))))
}

// table is the grid as a table, without the columns in which nothing is.
func (g *grid) table(columns []result.Column) *result.Set {
	r := &result.Set{Columns: []result.Column{columns[0]}}
	var used []string
	for _, c := range g.columns {
		for _, row := range g.rows {
			if g.cells[[2]string{row, c}] != 0 {
				used = append(used, c)
				r.Columns = append(r.Columns, result.Column{Name: c, Type: columns[2].Type})
				break
			}
		}
	}
	for _, row := range g.rows {
		cells := []any{row}
		for _, c := range used {
			cells = append(cells, g.value(row, c))
		}
		r.Rows = append(r.Rows, cells)
	}
	return r
}

// value is a cell's number, whole where it is; nil for 0.
func (g *grid) value(row, column string) any {
	n := g.cells[[2]string{row, column}]
	switch {
	case n == 0:
		return nil
	case n == math.Trunc(n) && math.Abs(n) < 1e15:
		return int64(n)
	}
	return n
}

// markdown is a text that means itself, on one line.
func markdown(s string) string {
	return strings.NewReplacer(`\`, `\\`, "|", `\|`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "<", "&lt;", "&", "&amp;",
		"#", `\#`, "~", `\~`, "\r\n", "<br>", "\n", "<br>", "\r", "<br>").Replace(s)
}

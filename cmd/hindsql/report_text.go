package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"hindsql/cmd/hindsql/render"
	"hindsql/engine/result"
	"hindsql/queries/report"
)

// textWidth is that of a text which goes to a file or a mail.
const textWidth = 120

// writeReportText writes a document for a terminal.
func writeReportText(w io.Writer, d *report.Document, o render.Options) error {
	nothing := ""
	o.Elapsed, o.Null = nil, &nothing
	if o.Width == 0 {
		o.Width = textWidth
	}
	t := &reportText{options: o}
	t.heading(d.Title, "=")
	fmt.Fprintf(&t.out, "%s\n", d.Period)
	t.paragraph(d.Text)
	if d.Alerts() {
		t.heading("\nAlert", "-")
		t.table(*d.Alert)
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

// reportText is a document that is being written; it keeps the first error.
type reportText struct {
	out     bytes.Buffer
	options render.Options
	err     error
}

func (t *reportText) heading(s, under string) {
	bold, plain := "", ""
	if t.options.Color {
		bold, plain = "\x1b[1m", "\x1b[0m"
	}
	shown := strings.TrimLeft(s, "\n")
	lead := s[:len(s)-len(shown)]
	fmt.Fprintf(&t.out, "%s%s%s%s\n%s\n", lead, bold, shown, plain, strings.Repeat(under, len([]rune(shown))))
}

func (t *reportText) paragraph(s string) {
	if s != "" {
		fmt.Fprintf(&t.out, "%s\n", s)
	}
}

func (t *reportText) render(format string, r result.Set) {
	f, err := render.ByName(format)
	if err == nil {
		err = f.Write(&t.out, r.Read(), t.options)
	}
	if t.err == nil {
		t.err = err
	}
}

func (t *reportText) part(p *report.Part) {
	t.heading("\n"+p.Title, "-")
	t.paragraph(p.Text)
	t.paragraph(p.Note)
	switch {
	case len(p.Rows) == 0:
		t.paragraph("Nothing in this period.")
	case p.Show == report.Number:
		t.figures(p.Figures())
	case p.Show == report.Heat:
		t.render("table", p.Grid())
	case p.Show == report.Bars || p.Show == report.Line:
		t.render("chart", p.Axes())
	default:
		t.table(p.Set)
	}
}

// table writes a table; a value a line where sentences would have been cut.
func (t *reportText) table(r result.Set) {
	const sentence = 40 // letters
	format := "table"
	for _, row := range r.Rows {
		for _, v := range row {
			if s, ok := v.(string); ok && len([]rune(s)) > sentence {
				format = "line"
			}
		}
	}
	t.render(format, r)
}

func (t *reportText) figures(all []report.Figure) {
	label, value := 0, 0
	for _, f := range all {
		label, value = max(label, len([]rune(f.Label))), max(value, len([]rune(f.Value)))
	}
	for _, f := range all {
		fmt.Fprintf(&t.out, "%-*s  %*s  %s\n", label, f.Label, value, f.Value, f.Change)
	}
}

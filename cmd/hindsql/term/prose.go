package term

import (
	"bufio"
	"strings"

	"hindsql/internal/printable"
	"hindsql/internal/result"
	"hindsql/internal/words"
)

// writeMarkdown writes a GitHub Markdown table. NULL is an empty cell. Long texts of a
// saved query are cut, and a line below says so.
func writeMarkdown(w *bufio.Writer, r *result.Rows, o Options) error {
	types, cut := result.Types(r.Columns), false
	if _, err := w.WriteString(MarkdownHead(r.Columns)); err != nil {
		return err
	}
	cells := make([]string, len(types))
	for values, err := range r.All() {
		if err != nil {
			return err
		}
		for i, v := range values {
			cells[i] = ""
			if v != nil {
				cells[i] = o.page(types[i].Text(v), r.Columns[i], &cut)
			}
		}
		if _, err := w.WriteString(MarkdownRow(cells)); err != nil {
			return err
		}
	}
	if cut {
		_, err := w.WriteString("\n" + cutOnPage + "\n")
		return err
	}
	return nil
}

// A cell of a saved query's answer in Markdown or HTML has at most mostOnPage letters.
const (
	mostOnPage = 300
	cutOnPage  = "Texts with … are cut; --format csv has them whole."
)

// page returns a text for a cell of a page. It shortens long texts of a saved query
// other than diffs, and then sets cut.
func (o Options) page(text string, c result.Column, cut *bool) string {
	if o.Answer == nil || c.Type != "VARCHAR" || isDiff(c.Name, text, "\n") {
		return text
	}
	short, is := words.CutTold(text, mostOnPage, words.Letters)
	*cut = *cut || is
	return short
}

var inMarkdownCell = strings.NewReplacer("|", `\|`, "\r\n", "<br>", "\n", "<br>", "\r", "<br>")

// MarkdownRow returns a row of a Markdown table.
func MarkdownRow(cells []string) string {
	var b strings.Builder
	for _, c := range cells {
		b.WriteString("| " + inMarkdownCell.Replace(c) + " ")
	}
	return b.String() + "|\n"
}

// MarkdownHead returns the lines above the rows of a Markdown table.
func MarkdownHead(columns []result.Column) string {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.Name
	}
	return MarkdownRow(names) + MarkdownRow(markdownRules(result.Types(columns)))
}

// markdownRules returns the cells of the line between names and rows. They align
// numbers to the right.
func markdownRules(types []result.Type) []string {
	rules := make([]string, len(types))
	for i := range types {
		rules[i] = "---"
		if types[i].IsNumber() {
			rules[i] = "---:"
		}
	}
	return rules
}

// writeLines writes each value on a line of its own, with the column's name before it.
// Long values take several lines, and an empty line separates rows. If a saved query's
// limit left out rows, the last line has the number of all rows.
func writeLines(w *bufio.Writer, r *result.Rows, o Options) error {
	types := result.Types(r.Columns)
	widest := 0
	for _, c := range r.Columns {
		widest = max(widest, width(oneLine(c.Name)))
	}
	between, rows := "", 0
	for values, err := range r.All() {
		if err != nil {
			return err
		}
		w.WriteString(between)
		between = "\n"
		rows++
		for i, v := range values {
			if err := o.writeLine(w, oneLine(r.Columns[i].Name), widest, o.lines(r.Columns[i].Name, widest, v, &types[i])); err != nil {
				return err
			}
		}
	}
	if o.Answer.isCut(rows) {
		_, err := w.WriteString(between + o.paint(dim, o.Answer.counted(rows)) + "\n")
		return err
	}
	return nil
}

func (o Options) writeLine(w *bufio.Writer, name string, widest int, lines []string) error {
	margin := "\n" + strings.Repeat(" ", widest+len(" = "))
	w.WriteString(strings.Repeat(" ", widest-width(name)))
	_, err := w.WriteString(o.paint(bold, name) + " = " + strings.Join(lines, margin) + "\n")
	return err
}

// lines returns the lines of a value's text, without control characters. On a terminal
// it wraps prose, to fit beside a column's name of the width name. It doesn't wrap
// diffs and commands, because users copy them.
func (o Options) lines(column string, name int, v any, t *result.Type) (lines []string) {
	if v == nil {
		return []string{o.paint(dim, oneLine(o.orNull(v, t)))}
	}
	whole := strings.TrimRight(strings.ReplaceAll(t.Text(v), "\r\n", "\n"), "\n")
	coloured := isDiff(column, whole, "\n")
	room := o.Width - name - len(" = ")
	if coloured || column == "command" || room < leastRoom {
		room = 0
	}
	for s := range strings.SplitSeq(whole, "\n") {
		s = printable.Line(strings.ReplaceAll(s, "\t", "    "))
		switch {
		case room > 0 && isProse(s):
			lines = append(lines, wrapLine(s, room)...)
		case coloured:
			lines = append(lines, o.paint(diffColor(s), s))
		default:
			lines = append(lines, s)
		}
	}
	return lines
}

// isProse reports whether a line has words and isn't a path.
func isProse(s string) bool {
	return strings.Contains(s, " ") && !strings.HasPrefix(s, "/") && !strings.HasPrefix(s, "~/")
}

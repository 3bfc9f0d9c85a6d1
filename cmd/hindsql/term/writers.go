package term

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"html/template"
	"strings"

	"hindsql/internal/printable"
	"hindsql/internal/result"
	"hindsql/internal/words"
	"hindsql/queries/html"
)

// writeCSV writes RFC 4180 text with \n line ends. NULL is an empty field.
func writeCSV(w *bufio.Writer, r *result.Rows, o Options) error {
	c := csv.NewWriter(w)
	return eachRecord(r, o, func(record []string) error {
		if len(record) == 1 && record[0] == "" { // readers skip empty lines
			c.Flush()
			w.WriteString("\"\"\n")
			return c.Error()
		}
		return c.Write(record)
	}, func() error { c.Flush(); return c.Error() })
}

// writeTSV writes fields without quotes: tab, line ends and backslash are \t,
// \n, \r and \\. NULL is an empty field.
func writeTSV(w *bufio.Writer, r *result.Rows, o Options) error {
	escapes := strings.NewReplacer("\\", `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`)
	return eachRecord(r, o, func(record []string) error {
		for i, s := range record {
			if i > 0 {
				w.WriteByte('\t')
			}
			if _, err := escapes.WriteString(w, s); err != nil {
				return err
			}
		}
		return w.WriteByte('\n')
	}, func() error { return nil })
}

func eachRecord(r *result.Rows, o Options, write func([]string) error, end func() error) error {
	types := result.Types(r.Columns)
	record := result.Names(r.Columns)
	if !o.NoHeader {
		if err := write(record); err != nil {
			return err
		}
	}
	for values, err := range r.All() {
		if err != nil {
			_ = end() // write the rows so far; the rows' error says more
			return err
		}
		for i, v := range values {
			record[i] = ""
			if v != nil {
				record[i] = types[i].MachineText(v)
			}
		}
		if err := write(record); err != nil {
			return err
		}
	}
	return end()
}

// writeJSON writes an array of objects with their keys in column order.
func writeJSON(w *bufio.Writer, r *result.Rows, _ Options) error {
	w.WriteByte('[')
	between := "\n"
	err := eachObject(r, func(object []byte) error {
		w.WriteString(between)
		between = ",\n"
		_, err := w.Write(object)
		return err
	})
	w.WriteString("\n]\n")
	return err
}

// writeNDJSON writes one object per line.
func writeNDJSON(w *bufio.Writer, r *result.Rows, _ Options) error {
	return eachObject(r, func(object []byte) error {
		w.Write(object)
		return w.WriteByte('\n')
	})
}

func eachObject(r *result.Rows, write func([]byte) error) error {
	types := result.Types(r.Columns)
	keys := make([][]byte, len(r.Columns)) // with punctuation
	for i, name := range distinct(r.Columns) {
		if i > 0 {
			keys[i] = []byte{','}
		}
		keys[i] = append(result.AppendString(keys[i], name), ':')
	}
	var object []byte
	for values, err := range r.All() {
		if err != nil {
			return err
		}
		object = append(object[:0], '{')
		for i, v := range values {
			object = types[i].AppendJSON(append(object, keys[i]...), v)
		}
		object = append(object, '}')
		if err := write(object); err != nil {
			return err
		}
	}
	return nil
}

// distinct returns the columns' names. A repeated name gets a number: id, id_1.
func distinct(cols []result.Column) []string {
	used := map[string]bool{}
	names := make([]string, len(cols))
	for i, c := range cols {
		name := c.Name
		for n := 1; used[name]; n++ {
			name = fmt.Sprintf("%s_%d", c.Name, n)
		}
		used[name] = true
		names[i] = name
	}
	return names
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
	margin := "\n" + strings.Repeat(" ", widest+len(" = "))
	between, rows := "", 0
	for values, err := range r.All() {
		if err != nil {
			return err
		}
		w.WriteString(between)
		between = "\n"
		rows++
		for i, v := range values {
			name, lines := oneLine(r.Columns[i].Name), o.lines(r.Columns[i].Name, widest, v, &types[i])
			w.WriteString(strings.Repeat(" ", widest-width(name)))
			if _, err := w.WriteString(o.paint(bold, name) + " = " + strings.Join(lines, margin) + "\n"); err != nil {
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
		case room > 0 && strings.Contains(s, " ") && !strings.HasPrefix(s, "/") && !strings.HasPrefix(s, "~/"): // words, and no path
			lines = append(lines, wrapLine(s, room)...)
		case coloured:
			lines = append(lines, o.paint(diffColor(s), s))
		default:
			lines = append(lines, s)
		}
	}
	return lines
}

// htmlHead begins a page with a table. The table's head stays in sight, and a wide table
// scrolls separately.
const htmlHead = html.FileHead + `<title>hindsql</title>
<style>
:root { color-scheme: light dark; --line: light-dark(#d8d8d8, #444); --head: light-dark(#f4f4f4, #262626); }
body { font: 14px/1.45 system-ui, sans-serif; margin: 1rem; }
div { overflow: auto; max-height: calc(100vh - 5rem); border: 1px solid var(--line); }
table { border-collapse: collapse; }
th, td { padding: .3rem .6rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
td { white-space: pre-wrap; overflow-wrap: anywhere; min-width: 4rem; max-width: 48rem; }
th { position: sticky; top: 0; background: var(--head); white-space: nowrap; }
.n { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
.t { white-space: nowrap; }
i { opacity: .5; }
@media print { div { max-height: none; overflow: visible; } }
</style>
</head>
<body>
<div tabindex="0"><table>
<thead><tr>`

// writeHTML writes a page with a table of all rows, each value as text. Long texts of a
// saved query are cut, and the line below says so.
func writeHTML(w *bufio.Writer, r *result.Rows, o Options) error {
	types := result.Types(r.Columns)
	w.WriteString(htmlHead)
	classes := make([]string, len(types))
	for i, c := range r.Columns {
		switch {
		case types[i].IsNumber():
			classes[i] = ` class="n"`
		case types[i].IsTime():
			classes[i] = ` class="t"`
		}
		w.WriteString(`<th scope="col"` + classes[i] + ">" + template.HTMLEscapeString(c.Name) + "</th>")
	}
	w.WriteString("</tr></thead>\n<tbody>\n")
	rows, cut := 0, false
	for values, err := range r.All() {
		if err != nil {
			return err
		}
		rows++
		w.WriteString("<tr>")
		for i, v := range values {
			text := template.HTMLEscapeString(o.page(o.orNull(v, &types[i]), r.Columns[i], &cut))
			if v == nil && text != "" {
				text = "<i>" + text + "</i>"
			}
			w.WriteString("<td" + classes[i] + ">" + text + "</td>")
		}
		if _, err := w.WriteString("</tr>\n"); err != nil {
			return err
		}
	}
	note := ""
	if cut {
		note = ". " + cutOnPage
	}
	_, err := w.WriteString("</tbody>\n</table></div>\n<p>" + words.Quantity(rows, "row") + note + "</p>\n</body>\n</html>\n")
	return err
}

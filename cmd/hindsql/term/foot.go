package term

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"

	"hindsql/internal/result"
	"hindsql/internal/words"
)

// footer returns the lines below a table: the number of rows and columns, and how to
// see those not shown. rows is the number of shown rows.
func (t *table) footer(l layout, rows int) string {
	s := t.counted()
	if t.count > rows {
		s += fmt.Sprintf(" (first %s shown; %s shows all)", words.Int(rows), cmp.Or(t.MoreRows, "--rows 0"))
	}
	if t.Answer == nil {
		s += " × " + words.Quantity(len(t.cols), "column")
	}
	if t.Elapsed != nil {
		s += " · " + words.Duration(t.Elapsed())
	}
	s = note(t.Options, dim, s)
	more := t.more(l)
	s += note(t.Options, yellow, more)
	if t.cut && (more == "" || l.aside > 0) {
		s += note(t.Options, dim, "texts with … are cut; "+cmp.Or(t.MoreColumns, "--format line shows them")+" whole")
	}
	s += note(t.Options, dim, t.costs)
	return s
}

// counted returns the number of rows in words, with the total if the query's limit left
// out rows.
func (t *table) counted() string {
	if t.Answer == nil {
		return words.Quantity(t.count, "row")
	}
	return t.Answer.counted(t.count)
}

// more returns a line that names the columns outside the screen; empty if none.
func (t *table) more(l layout) string {
	away, head, tail := l.hidden, "+ %s: ", "; "+cmp.Or(t.MoreColumns, "--format line shows them")
	if t.cut {
		tail += ", and cut texts"
	}
	if l.aside > 0 {
		away, head, tail = l.shown[len(l.shown)-l.aside:], "+ %s to the right: ", ""
	}
	if len(away) == 0 {
		return ""
	}
	var all []string
	for _, i := range away {
		all = append(all, t.names[i])
	}
	if t.Answer != nil && l.aside == 0 { // the command in tail also shows the columns that tables never show
		all = append(all, t.Answer.Hidden...)
	}
	head = fmt.Sprintf(head, words.Quantity(len(all), "column"))
	room := max(t.Width, 40) - width(head) - width(tail) - width(" …")
	names := ""
	for n, name := range all {
		next := names + name
		if n > 0 {
			next = names + ", " + name
		}
		if n > 0 && width(next) > room {
			names += " …"
			break
		}
		names = next
	}
	return head + names + tail
}

// inLines writes a result in the line format, with each value on its own line, if a
// table would hide more than half of the result and the lines fit the screen. It
// reports whether it wrote the result.
func (t *table) inLines(w *bufio.Writer, l layout) (done bool, err error) {
	if !t.Auto || t.hasCard() || len(t.few) == 0 || t.count > len(t.few) || !t.hidesMost(l) {
		return false, nil
	}
	var text bytes.Buffer
	to := bufio.NewWriter(&text)
	set, o := result.Set{Columns: t.cols, Rows: t.few}, t.Options
	if t.Answer != nil && o.Null == nil {
		o.Null = new(string)
	}
	o.Answer = nil // the footer counts the rows instead
	if err := cmp.Or(writeLines(to, set.Read(), o), to.Flush()); err != nil {
		return false, err
	}
	fits := bytes.Count(text.Bytes(), []byte("\n"))+2 < t.screen()
	if !fits && !(t.count == 1 && (t.Paged || 2*len(l.hidden) > len(t.cols))) {
		return false, nil
	}
	w.Write(text.Bytes())
	_, err = w.WriteString("\n" + t.footer(layout{}, t.count))
	return true, err
}

// hidesMost reports whether a table would hide more than half of the columns, or of the
// text.
func (t *table) hidesMost(l layout) bool {
	away := len(l.hidden) + l.aside
	if 2*away > len(t.cols) {
		return true
	}
	seen, all := 0, 0
	for _, row := range t.rows {
		for _, s := range row {
			all += width(s)
		}
		for n, i := range l.shown[:len(l.shown)-l.aside] {
			seen += min(width(row[i]), 2*l.widths[n])
		}
	}
	return 2*seen < all
}

// screen is the number of lines on the terminal.
func (o Options) screen() int { return cmp.Or(o.Height, 24) }

package term

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"hindsql/internal/lists"
	"hindsql/internal/printable"
	"hindsql/internal/result"
	"hindsql/internal/words"
	"hindsql/queries"
)

// Answer says how to show a saved query's result. Its table is written for people:
// without types, with commas in amounts, and with durations in words.
type Answer struct {
	Noun  string // what a row is, in the singular; empty: a row
	Total bool   // one row is the total of the others, and not counted
	Of    int    // number of rows without the query's limit; 0: the limit leaves out no rows
	All   string // parameter that gives all rows, for the user to type
	// Card lists the columns of the query's `-- card` line, by line of a row's block. A
	// table keeps them longest; a narrow terminal shows blocks. Nil without such a line.
	Card   [][]string
	Hidden []string // columns that tables never show
	Prices string   // name of the list by which costs are estimated; empty if unknown
}

// withoutHidden returns the rows without the hidden columns.
func (a *Answer) withoutHidden(r *result.Rows) *result.Rows {
	if a == nil || len(a.Hidden) == 0 {
		return r
	}
	return r.Without(func(c result.Column) bool {
		return slices.ContainsFunc(a.Hidden, func(name string) bool { return strings.EqualFold(name, c.Name) })
	})
}

// isCut reports whether the query's limit left out rows. rows is the number of rows in
// the result.
func (a *Answer) isCut(rows int) bool { return a != nil && a.Of > rows }

// counted returns the number of rows in words. If the query's limit left out rows, it
// adds the total, and how to get all rows.
func (a *Answer) counted(rows int) string {
	noun := cmp.Or(a.Noun, "row")
	if a.Total && rows > 0 {
		rows--
	}
	if a.isCut(rows) {
		return fmt.Sprintf("%s of %s; %s for all", words.Int(rows), words.Quantity(a.Of, noun), a.All)
	}
	return words.Quantity(rows, noun)
}

// order returns the indexes of the columns in the order in which a narrow table keeps
// them: first the columns in [Answer.Card], then the others from the left.
func (t *table) order() (places []int) {
	if t.Answer != nil {
		places = t.places(slices.Concat(t.Answer.Card...))
	}
	for i := range t.cols {
		if !slices.Contains(places, i) {
			places = append(places, i)
		}
	}
	return places
}

// places returns the indexes of named columns, without names that the result lacks.
func (t *table) places(names []string) (places []int) {
	for _, name := range names {
		if i := slices.IndexFunc(t.cols, func(c result.Column) bool { return strings.EqualFold(c.Name, name) }); i >= 0 {
			places = append(places, i)
		}
	}
	return places
}

// headsOf returns the columns' names for a table's head.
func headsOf(t *table) []string {
	heads := result.Names(t.cols)
	if t.Answer != nil {
		heads = result.Heads(t.cols)
	}
	return lists.Map(heads, printable.Line)
}

// hideEmptyCosts hides the columns of costs in which a saved query's table has no value,
// before the first piece is written.
func hideEmptyCosts(t *table) {
	if t.Answer == nil || t.begun || len(t.rows) == 0 {
		return
	}
	filled := lists.Map(t.extents, func(e extent) int { return e.filled })
	var hidden []string
	hidden, t.costs = queries.Costs(result.Names(t.cols), filled, len(t.rows), t.Answer.Prices)
	for i := len(t.cols) - 1; i >= 0; i-- {
		if slices.Contains(hidden, t.cols[i].Name) {
			dropColumn(t, i)
		}
	}
}

func dropColumn(t *table, i int) {
	t.cols, t.types = slices.Delete(slices.Clone(t.cols), i, i+1), slices.Delete(slices.Clone(t.types), i, i+1)
	t.names, t.extents = slices.Delete(t.names, i, i+1), slices.Delete(t.extents, i, i+1)
	nulls := map[[2]int]bool{}
	for at := range t.nulls {
		if at[1] > i {
			at[1]--
		} else if at[1] == i {
			continue
		}
		nulls[at] = true
	}
	t.nulls = nulls
	for n := range t.rows {
		t.rows[n] = slices.Delete(t.rows[n], i, i+1)
	}
	for n := range t.few {
		t.few[n] = slices.Delete(t.few[n], i, i+1)
	}
}

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
	s = footLines(t.Options, dim, s)
	more := t.more(l)
	s += footLines(t.Options, yellow, more)
	if t.cut && (more == "" || l.aside > 0) {
		s += footLines(t.Options, dim, "texts with … are cut; "+cmp.Or(t.MoreColumns, "--format line shows them")+" whole")
	}
	s += footLines(t.Options, dim, t.costs)
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
	all := lists.Map(away, func(i int) string { return t.names[i] })
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

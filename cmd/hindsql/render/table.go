package render

import (
	"bufio"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"hindsql/engine/result"
)

// table is a result, as far as it is held in memory: its columns' widths hang on
// its rows.
type table struct {
	Options
	cols  []result.Column
	types []result.Type
	rows  [][]string      // texts on one line; those beyond MaxRows are only counted
	bytes int             // of those texts
	nulls map[[2]int]bool // row and column of each NULL
	count int
	text  []int // width of the widest cell of each column, its name left out
	thin  []int // width of its thinnest cell, NULL left out; 0: none yet
	begun bool  // the head is written
}

// What is held of a table for a file or a pipe, whose columns are never cut. A
// longer one is written in such pieces, and a column widens where it has to.
const (
	pieceRows  = 2000
	pieceBytes = 16 << 20
)

func writeTable(w *bufio.Writer, r *result.Rows, o Options) error {
	t := &table{Options: o, cols: r.Columns, types: result.Types(r.Columns), nulls: map[[2]int]bool{}, text: make([]int, len(r.Columns)), thin: make([]int, len(r.Columns))}
	for values, err := range r.All() {
		if err != nil {
			return err
		}
		if o.Width == 0 && o.MaxRows == 0 && (len(t.rows) == pieceRows || t.bytes > pieceBytes) {
			t.piece(w)
			if err := w.Flush(); err != nil {
				return err
			}
		}
		if t.count++; o.MaxRows == 0 || t.count <= o.MaxRows {
			t.add(values)
		}
	}
	return t.write(w)
}

func (t *table) add(values []any) {
	row := make([]string, len(values))
	for i, v := range values {
		if v == nil {
			t.nulls[[2]int{len(t.rows), i}] = true
		}
		row[i] = oneLine(t.shorten(t.folded(t.orNull(v, &t.types[i]), &t.types[i])))
		t.measure(i, width(row[i]), v != nil)
		t.bytes += len(row[i])
	}
	t.rows = append(t.rows, row)
}

func (t *table) measure(i, width int, isValue bool) {
	t.text[i] = max(t.text[i], width)
	if isValue && (t.thin[i] == 0 || width < t.thin[i]) {
		t.thin[i] = width
	}
}

// least is the width below which a column is rather left out. Numbers, and
// short texts that are all of one width, such as times, are useless when cut.
func (t *table) least(i, natural, head int) int {
	const evenLimit, leastText, leastHead = 20, 10, 6
	even := len(t.rows) > 1 && t.text[i] == t.thin[i] && t.text[i] <= evenLimit
	if even || isShort(&t.types[i]) {
		return max(t.text[i], min(head, leastHead))
	}
	return min(natural, leastText)
}

// isShort says that values of the type are short, and useless when cut.
func isShort(t *result.Type) bool {
	return t.IsNumber() || t.Base == "BOOLEAN" || t.Base == "DATE" || strings.HasPrefix(t.Base, "TIME")
}

// folded puts JSON that was written over several lines on one, on a terminal.
func (t *table) folded(s string, of *result.Type) string {
	if t.Width == 0 || of.Base != "JSON" || !strings.Contains(s, "\n") {
		return s
	}
	if compact := result.CompactJSON(s); compact != nil {
		return string(compact)
	}
	return s
}

// shorten drops what can't be shown anyway, so that megabytes of text are
// neither kept nor measured.
func (t *table) shorten(s string) string {
	limit := 8 * t.Width
	if limit == 0 || len(s) <= limit {
		return s
	}
	for !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit] + "…"
}

func (t *table) write(w *bufio.Writer) error {
	kept := len(t.rows)
	if t.begun {
		kept = t.count
	}
	columns, widths := t.piece(w)
	rule(w, widths, "└", "┴", "┘")
	_, err := w.WriteString(t.paint(dim, t.footer(columns, kept)) + "\n")
	return err
}

// piece writes the rows that are held, after the head, and lets go of them. It
// gives the columns that are shown, and their widths.
func (t *table) piece(w *bufio.Writer) (shown, widths []int) {
	shown, widths = t.layout()
	if !t.begun {
		t.begun = true
		rule(w, widths, "┌", "┬", "┐")
		t.line(w, shown, widths, func(i int) (string, color) { return visible(t.cols[i].Name), bold })
		t.line(w, shown, widths, func(i int) (string, color) { return t.types[i].Label(), dim })
		if len(t.rows) > 0 {
			rule(w, widths, "├", "┼", "┤")
		}
	}
	for n, row := range t.rows {
		t.line(w, shown, widths, func(i int) (string, color) {
			if t.nulls[[2]int{n, i}] {
				return row[i], dim
			}
			return row[i], plain
		})
	}
	t.rows, t.bytes = t.rows[:0], 0
	clear(t.nulls)
	return shown, widths
}

func rule(w *bufio.Writer, widths []int, left, cross, right string) {
	lines := make([]string, len(widths))
	for i, n := range widths {
		lines[i] = strings.Repeat("─", n+2)
	}
	w.WriteString(left + strings.Join(lines, cross) + right + "\n")
}

// layout chooses the columns that are shown, and their widths.
func (t *table) layout() (shown, widths []int) {
	natural, least := make([]int, len(t.cols)), make([]int, len(t.cols))
	for i, c := range t.cols {
		head := max(width(visible(c.Name)), width(t.types[i].Label()))
		natural[i] = max(t.text[i], head)
		least[i] = t.least(i, natural[i], head)
	}
	shown = pick(least, t.Width)
	widths = widthsOf(shown, natural)
	if t.Width == 0 {
		return shown, widths
	}
	return shown, fit(widths, widthsOf(shown, least), t.Width-overhead(len(shown)))
}

// widthsOf gives the widths of the columns that are shown; the gap has 1.
func widthsOf(shown, all []int) []int {
	widths := make([]int, len(shown))
	for n, i := range shown {
		widths[n] = 1
		if i != gap {
			widths[n] = all[i]
		}
	}
	return widths
}

func (t *table) line(w *bufio.Writer, shown, widths []int, cell func(int) (string, color)) {
	for n, i := range shown {
		w.WriteString("│ ")
		if i == gap {
			w.WriteString("… ")
			continue
		}
		s, c := cell(i)
		coloured := c == plain && isDiff(t.cols[i].Name, s, lineEnd)
		s = cut(s, widths[n])
		pad := strings.Repeat(" ", widths[n]-width(s))
		if coloured {
			s = t.paintDiff(s)
		}
		s = t.paint(c, s)
		if t.types[i].IsNumber() {
			w.WriteString(pad + s + " ")
		} else {
			w.WriteString(s + pad + " ")
		}
	}
	w.WriteString("│\n")
}

// footer says how many rows and columns there are, and how to see the rest.
func (t *table) footer(shown []int, rows int) string {
	s := quantity(t.count, "row")
	if t.count > rows {
		s += fmt.Sprintf(" (first %s shown; %s shows all)", thousands(rows), cmp.Or(t.MoreRows, "--rows 0"))
	}
	s += " × " + quantity(len(t.cols), "column")
	if slices.Contains(shown, gap) {
		s += fmt.Sprintf(" (%d shown; %s shows all)", len(shown)-1, cmp.Or(t.MoreColumns, "--format line"))
	}
	if t.Elapsed != nil {
		s += " · " + elapsed(t.Elapsed())
	}
	return s
}

func elapsed(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}

func quantity(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return thousands(n) + " " + what + "s"
}

func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

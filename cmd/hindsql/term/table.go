package term

import (
	"bufio"
	"slices"
	"strings"

	"hindsql/internal/lists"
	"hindsql/internal/result"
	"hindsql/internal/words"
)

// table is the part of a result that is held in memory. The held rows decide the widths
// of the columns.
type table struct {
	Options
	cols    []result.Column
	types   []result.Type
	names   []string        // names of the columns, as the table's head shows them
	rows    [][]string      // texts on one line; rows beyond MaxRows are only counted
	bytes   int             // size of the texts
	nulls   map[[2]int]bool // row and column of each NULL
	count   int
	extents []extent
	few     [][]any // values of the first rows; nil once too many for the line format
	begun   bool    // the head is written
	costs   string  // note about the columns of costs; empty for none
	cut     bool    // a shown text is cut
}

// Limits of a table's rows in memory, for a file or a pipe. A longer table is written
// in pieces, and a later piece may have wider columns. Its cells are never cut.
const (
	pieceRows  = 2000
	pieceBytes = 16 << 20
)

func newTable(columns []result.Column, o Options) *table {
	t := &table{Options: o, cols: columns, types: result.Types(columns), nulls: map[[2]int]bool{}, extents: make([]extent, len(columns)), few: [][]any{}}
	t.names = headsOf(t)
	return t
}

func writeTable(w *bufio.Writer, r *result.Rows, o Options) error {
	r = o.Answer.withoutHidden(r)
	t := newTable(r.Columns, o)
	for values, err := range r.All() {
		if err != nil {
			return err
		}
		if o.Width == 0 && o.MaxRows == 0 && (len(t.rows) == pieceRows || t.bytes > pieceBytes) {
			hideEmptyCosts(t)
			t.pieceIn(w, t.layout())
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
		row[i] = t.cell(v, i)
		t.extents[i].addCell(row[i], v != nil)
		t.bytes += len(row[i])
	}
	t.rows = append(t.rows, row)
	t.keepFirstRows(values)
}

// cell returns the text of a value, as one line. In a saved query's answer blanks and
// line ends become single blanks, except in diffs; exact values have signs instead.
func (t *table) cell(v any, i int) string {
	s := t.text(v, i)
	if t.Width > 0 { // a terminal can't show more, so the table needn't keep and measure megabytes
		s = words.CutTo(s, 8*t.Width, words.Bytes)
	}
	if t.Answer != nil && t.types[i].Base == "VARCHAR" && !isDiff(t.cols[i].Name, s, "\n") {
		s = strings.Join(strings.Fields(s), " ")
	}
	return oneLine(s)
}

// text returns the text of a value for a cell of column i.
func (t *table) text(v any, i int) string {
	if of := &t.types[i]; t.Answer != nil && v != nil && (of.IsNumber() || of.IsTime() || of.Base == "INTERVAL") {
		return of.Words(v, t.cols[i].Name)
	}
	s := t.folded(t.orNull(v, &t.types[i]), &t.types[i])
	if isID(t.cols[i].Name) {
		s = t.shortId(s)
	}
	if t.Width > 0 {
		s = strings.TrimLeft(s, "\r\n") // begin the cell with text
	}
	return s
}

// folded returns JSON of several lines as one line, if the table goes to a terminal.
func (t *table) folded(s string, of *result.Type) string {
	if t.Width == 0 || of.Base != "JSON" || !strings.Contains(s, "\n") {
		return s
	}
	if compact := result.CompactJSON(s); compact != nil {
		return string(compact)
	}
	return s
}

func (t *table) write(w *bufio.Writer) error {
	kept := len(t.rows)
	if t.begun {
		kept = t.count
	}
	hideEmptyCosts(t)
	if isNarrow(t) {
		return (&blocks{of: t}).write(w)
	}
	l := t.fitted()
	if done, err := t.inLines(w, l); done || err != nil {
		return err
	}
	t.pieceIn(w, l)
	rule(w, l.widths, "└", "┴", "┘")
	_, err := w.WriteString(t.footer(l, kept))
	return err
}

func (t *table) pieceIn(w *bufio.Writer, l layout) {
	if !t.begun {
		t.begun = true
		t.head(w, l)
	}
	for n, row := range t.rows {
		t.line(w, l, "│", func(i int) (string, color) {
			switch {
			case !t.Color:
				return row[i], plain
			case t.nulls[[2]int{n, i}]:
				return row[i], dim
			}
			return row[i], wordColors[row[i]]
		})
	}
	t.rows, t.bytes = t.rows[:0], 0
	clear(t.nulls)
}

// head writes the lines above the rows. If columns are hidden, "…" marks the right
// border.
func (t *table) head(w *bufio.Writer, l layout) {
	border := "│"
	if len(l.hidden) > 0 {
		border = "…"
	}
	rule(w, l.widths, "┌", "┬", "┐")
	t.line(w, l, border, func(i int) (string, color) { return t.names[i], bold })
	if t.Answer == nil {
		t.line(w, l, "│", func(i int) (string, color) { return cut(t.types[i].Label(), l.widthOf(i)), dim })
	}
	if len(t.rows) > 0 {
		rule(w, l.widths, "├", "┼", "┤")
	}
}

func rule(w *bufio.Writer, widths []int, left, cross, right string) {
	w.WriteString(left + lists.Join(widths, cross, func(n int) string { return strings.Repeat("─", n+2) }) + right + "\n")
}

// line writes a row. Each cell may take several lines on the screen.
func (t *table) line(w *bufio.Writer, l layout, border string, cell func(int) (string, color)) {
	if !l.terminal {
		t.plainLine(w, l, cell)
		return
	}
	texts, colors := make([][]string, len(l.shown)), make([]color, len(l.shown))
	diffs, most := make([]bool, len(l.shown)), 1
	for n, i := range l.shown {
		s, c := cell(i)
		texts[n], colors[n] = l.wrapped(s, n), c
		t.cut = t.cut || isCut(texts[n], s)
		diffs[n] = c == plain && t.Color && isDiff(t.cols[i].Name, s, words.LineEnd)
		most = max(most, len(texts[n]))
	}
	goesOn := make([]color, len(l.shown)) // of each cell: colour of the diff line that continues on the cell's next line
	for n := range goesOn {
		goesOn[n] = fresh
	}
	for k := range most {
		for n, i := range l.shown {
			s := ""
			if k < len(texts[n]) {
				s = texts[n][k]
			}
			pad := strings.Repeat(" ", max(0, l.widths[n]-width(s)))
			if diffs[n] {
				s, goesOn[n] = t.paintDiff(s, goesOn[n])
			}
			s = t.paint(colors[n], s)
			if t.isRightAligned(i) {
				s, pad = pad+s, ""
			}
			w.WriteString("│ " + s + pad + " ")
		}
		w.WriteString(border + "\n")
	}
}

// plainLine writes a row for a file or a pipe. It is faster than line, because a file
// may get millions of rows.
func (t *table) plainLine(w *bufio.Writer, l layout, cell func(int) (string, color)) {
	for n, i := range l.shown {
		s, c := cell(i)
		pad := max(0, l.widths[n]-width(s))
		w.WriteString("│ ")
		if t.isRightAligned(i) {
			spaces(w, pad)
			pad = 0
		}
		w.WriteString(t.paint(c, s))
		spaces(w, pad+1)
	}
	w.WriteString("│\n")
}

func spaces(w *bufio.Writer, n int) {
	const many = "                                "
	for ; n > len(many); n -= len(many) {
		w.WriteString(many)
	}
	w.WriteString(many[:max(0, n)])
}

// isRightAligned reports whether a column is aligned to the right.
func (t *table) isRightAligned(i int) bool {
	return t.types[i].IsNumber() || t.Answer != nil && t.types[i].Base == "INTERVAL"
}

// keepFirstRows stores the values of the first rows, as long as they would fit on one
// screen in the line format.
func (t *table) keepFirstRows(values []any) {
	if !t.Auto || t.few == nil {
		return
	}
	t.few = append(t.few, slices.Clone(values))
	if len(t.few) > 1 && len(t.few)*(len(values)+1) > t.screen() {
		t.few = nil
	}
}

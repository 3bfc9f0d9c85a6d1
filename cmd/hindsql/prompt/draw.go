package prompt

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/rivo/uniseg"

	"hindsql/internal/printable"
	"hindsql/internal/sqltext"
)

// screen describes the entry as the terminal shows it.
type screen struct {
	sign        string
	above       []int // widths of the shown rows above the cursor
	shownColumn int   // the cursor's
	top         int   // index of the first shown row
	drawTime    time.Duration
}

// longestPaint limits the size of a text that is coloured.
const longestPaint = 64 << 10

// draw shows the entry, and rows below it: completions, a hint or the search. Of an
// entry taller than the screen it shows the rows around the cursor.
func (t *Terminal) draw() {
	begun := time.Now()
	columns, height := t.room()
	text := strings.ReplaceAll(string(t.text), "\x1b", "␛") // only colours begin with Escape
	if t.composing.Paint != nil && len(text) < longestPaint {
		text = t.composing.Paint(text)
	}
	l := layout{columns: columns}
	l.add(t.sign, 0)
	l.indent = l.x
	row, column := l.add(text, t.at)
	l.endRow(0)
	below := t.below(columns, height-2)
	room := height - 1 - len(below)
	t.top = max(min(t.top, row, len(l.rows)-room), row-room+1, 0)
	last := min(len(l.rows), t.top+room)

	var b strings.Builder
	b.WriteString("\x1b[?25l") // hides the cursor
	moveBy(&b, t.rowsAbove(columns), 'A')
	b.WriteString("\r\x1b[J")
	b.WriteString(strings.Join(append(l.rows[t.top:last:last], below...), paintEnd+"\r\n"))
	b.WriteString(paintEnd)
	moveBy(&b, last-1-row+len(below), 'A')
	b.WriteString("\r")
	moveBy(&b, column, 'C')
	b.WriteString("\x1b[?25h")
	fmt.Fprint(t.out, b.String())
	t.above, t.shownColumn = l.widths[t.top:row], column
	t.drawTime = min(time.Since(begun), longestPause)
}

// finishEntry draws the entry a last time, with the cursor at its end, and moves to the next
// line.
func (t *Terminal) finishEntry() {
	t.menu, t.search, t.note, t.at = menu{}, nil, "", len(t.text)
	t.draw()
	fmt.Fprint(t.out, "\r\n\x1b[J")
}

// clear clears the terminal. The next drawing begins at its top.
func (t *Terminal) clear() {
	fmt.Fprint(t.out, "\x1b[H\x1b[2J")
	t.above, t.shownColumn = nil, 0
}

// room returns the terminal's size, or a usual size instead of one that is unknown or
// too small for the sign.
func (t *Terminal) room() (columns, height int) {
	if columns, height = t.size(); columns < 10 || height < 3 {
		return 80, 24
	}
	return columns, height
}

// rowsAbove returns the number of rows from the entry's first row to the cursor. If the
// terminal has become narrower, it has broken rows since it was drawn.
func (s *screen) rowsAbove(columns int) int {
	n := s.shownColumn / columns
	for _, width := range s.above {
		n += max(1, (width+columns-1)/columns)
	}
	return n
}

// below returns the rows below the entry.
func (t *Terminal) below(columns, most int) []string {
	text := t.note
	switch {
	case text != "":
	case t.search != nil && t.search.isMissed:
		text = "nothing earlier has " + t.search.text
	case t.search != nil:
		text = "search: " + t.search.text
	case t.menu.words != nil:
		return t.menu.rows(columns, min(most, mostMenuRows))
	case !t.isOver && strings.Contains(string(t.text), "\n") && !t.isWhole():
		text = "…> ; ends the statement"
	default:
		return nil
	}
	return []string{dimmed(fit(text, columns))}
}

const mostMenuRows = 8

// rows lays the words of a menu out in columns. The chosen word is inverted.
func (m *menu) rows(columns, most int) (list []string) {
	widest := 0
	for _, word := range m.words {
		widest = max(widest, columnsOf(word)+2)
	}
	widest = min(widest, columns)
	each := columns / widest
	first := max(0, m.chosen/each-most+1) * each
	var line strings.Builder
	for i := first; i < min(len(m.words), first+each*most); i++ {
		word := fit(m.words[i], widest-2)
		gap := strings.Repeat(" ", widest-columnsOf(word))
		if i == m.chosen {
			word = "\x1b[7m" + word + paintEnd
		}
		if line.WriteString(word); (i+1)%each == 0 || i == len(m.words)-1 {
			list = append(list, line.String())
			line.Reset()
			continue
		}
		line.WriteString(gap)
	}
	return list
}

// layout breaks a text into rows of a screen.
type layout struct {
	columns int
	indent  int // of lines after the first
	rows    []string
	widths  []int // of rows
	row     strings.Builder
	x       int // width of row
}

const tabColumns = 8

// add adds a text with colours, and returns the row and column of the character at a
// position, which counts code points without colours.
func (l *layout) add(painted string, at int) (row, column int) {
	n, isFound := 0, false
	for painted != "" {
		if painted[0] == '\x1b' {
			end := max(1, strings.IndexByte(painted, 'm')+1)
			l.row.WriteString(painted[:end])
			painted = painted[end:]
			continue
		}
		cluster, rest, _, _ := uniseg.FirstGraphemeClusterInString(painted, -1)
		painted = rest
		isLineEnd := strings.HasSuffix(cluster, "\n")
		shown := l.shown(cluster)
		width := uniseg.StringWidth(shown)
		isHere := !isFound && at < n+utf8.RuneCountInString(cluster)
		if isHere || !isLineEnd {
			l.makeRoom(width)
		}
		if isHere {
			row, column, isFound = len(l.rows), l.x, true
		}
		n += utf8.RuneCountInString(cluster)
		if isLineEnd {
			l.endRow(l.indent)
			continue
		}
		l.row.WriteString(shown)
		l.x += width
	}
	if !isFound {
		l.makeRoom(0)
		row, column = len(l.rows), l.x
	}
	return row, column
}

// shown returns a character as the terminal shows it.
func (l *layout) shown(cluster string) string {
	switch {
	case cluster == "\t":
		return strings.Repeat(" ", min(tabColumns-(l.x-l.indent)%tabColumns, l.columns))
	case strings.HasSuffix(cluster, "\n"):
		return ""
	}
	return printable.Line(cluster)
}

// makeRoom ends the row if it has no room for a character of a width and the cursor.
func (l *layout) makeRoom(width int) {
	if l.x+max(width, 1) > l.columns {
		l.endRow(0)
	}
}

// endRow ends the row, and begins the next with an indentation.
func (l *layout) endRow(indent int) {
	l.rows, l.widths = append(l.rows, l.row.String()), append(l.widths, l.x)
	l.row.Reset()
	l.row.WriteString(strings.Repeat(" ", indent))
	l.x = indent
}

// fit returns a text of one row, cut to a number of columns.
func fit(text string, columns int) string {
	text = printable.Line(text)
	if columnsOf(text) <= columns {
		return text
	}
	letters := []rune(text)
	return string(letters[:columnPlace(letters, 0, columns-1)]) + "…"
}

func dimmed(text string) string { return paintComment + text + paintEnd }

// columnsOf returns the number of columns that a text takes on the screen.
func columnsOf(text string) int { return uniseg.StringWidth(text) }

// moveBy moves the terminal's cursor n times in a direction: A up, C right.
func moveBy(b *strings.Builder, n int, direction byte) {
	if n > 0 {
		fmt.Fprintf(b, "\x1b[%d%c", n, direction)
	}
}

// Colours of the typed text, as terminal sequences. Results have the same colours.
const (
	paintKeyword = "\x1b[1m"
	paintComment = "\x1b[2m"
	paintString  = "\x1b[32m"
	paintNumber  = "\x1b[36m"
	paintEnd     = "\x1b[0m"
)

// keywords holds the coloured words of SQL, the words that shape a query.
var keywords = func() map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(`all alter and anti any as asc asof attach begin between by case cast commit copy create cross
		delete desc describe detach distinct drop else end except exclude exists explain false filter following from full group having
		if ilike in inner insert install intersect interval into is join lateral left like limit load macro natural not null nulls
		offset on or order outer over partition pivot positional pragma preceding qualify range recursive rename replace reset returning
		right rollback row rows sample select semi set show similar summarize table temp temporary then to true unbounded union unpivot
		update use using values view when where window with`) {
		set[word] = true
	}
	return set
}()

// paint colours the typed text. It returns the text unchanged if colours are off.
func (r *reader) paint(text string) string {
	if !r.Color {
		return text
	}
	if r.in.buffer == "" && startsCommandWord(text) {
		name, rest, _ := strings.Cut(text, " ")
		return paintKeyword + name + paintEnd + text[len(text)-len(rest)-min(1, len(text)-len(name)):]
	}
	var b strings.Builder
	for token := range sqltext.Tokens(text) {
		color := ""
		switch token.Kind {
		case sqltext.Comment:
			color = paintComment
		case sqltext.String, sqltext.Dollar:
			color = paintString
		case sqltext.Number:
			color = paintNumber
		case sqltext.Word:
			if keywords[token.Word()] {
				color = paintKeyword
			}
		}
		if color == "" {
			b.WriteString(token.Text)
			continue
		}
		b.WriteString(color + token.Text + paintEnd)
	}
	return b.String()
}

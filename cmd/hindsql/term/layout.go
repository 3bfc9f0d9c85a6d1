package term

import (
	"slices"
	"strings"

	"hindsql/internal/lists"
	"hindsql/internal/result"
	"hindsql/internal/words"
)

// layout holds the columns that a table shows, in order, and their widths.
type layout struct {
	shown, widths []int
	hidden        []int // columns that don't fit the screen
	aside         int   // number of columns at the end of shown that are to the right of the screen
	terminal      bool  // cells take two lines at most, and longer texts are cut
}

// widthOf returns the width of a shown column.
func (l *layout) widthOf(column int) int { return l.widths[slices.Index(l.shown, column)] }

// extent measures the cells of a column, in terminal cells.
type extent struct {
	widest   int // width of the widest cell, without the name
	thinnest int // width of the thinnest cell that isn't NULL; 0: none yet
	filled   int // cells that aren't NULL
	wide     int // cells wider than a word
	spaced   int // cells that are wide and have spaces
}

// Widths of columns on a terminal, in terminal cells.
const (
	oneWord   = 24 // wider cells with spaces are prose
	evenLimit = 20 // texts of equal width, such as times, stay whole up to this
	shortText = 16 // texts stay whole up to this; others may be cut to this
	leastMain = 40 // minimum of the main text column (see [table.main])
	leastText = 20 // minimum of other columns with prose
	leastName = 20 // minimum of names without spaces, such as a model or a path
	tightText = 10 // minimum of other columns with prose, if all columns then fit
	leastHead = 8  // minimum shown of a column's name
	wholeHead = 10 // a name is broken inside a word only if the word is longer
	asideText = 60 // maximum of a column to the right of the screen, or in a file; there longer cells run on
)

func (e *extent) addCell(cell string, isValue bool) {
	n := width(cell)
	e.widest = max(e.widest, n)
	if !isValue {
		return
	}
	e.filled++
	if e.thinnest == 0 || n < e.thinnest {
		e.thinnest = n
	}
	if n > oneWord {
		e.wide++
		if strings.Contains(cell, " ") || strings.Contains(cell, words.LineEnd) {
			e.spaced++
		}
	}
}

// overhead returns the width of the borders of n columns: a border and two spaces each.
func overhead(n int) int { return 3*n + 1 }

// lane holds the widths that a column of a table needs: natural shows every cell on one
// line, and least is the minimum.
type lane struct {
	natural, least int
	isProse        bool
	isCopied       bool // people copy its values, such as a command: never cut in a card's column
	isWhole        bool // its values are useless if cut
}

// lanes returns the widths that each column needs.
func (t *table) lanes() []lane {
	lanes := make([]lane, len(t.cols))
	for i := range lanes {
		lanes[i] = t.lane(i)
	}
	return lanes
}

// lane returns the widths that column i needs. Numbers, and short texts of equal width,
// keep their full width.
func (t *table) lane(i int) lane {
	e := t.extents[i]
	head := width(t.names[i])
	if t.Answer == nil {
		head = max(head, width(t.types[i].Label()))
	}
	l := lane{natural: max(e.widest, head)}
	even := len(t.rows) > 1 && e.widest == e.thinnest && e.widest <= evenLimit
	switch {
	case even || isShort(&t.types[i]) || e.widest <= shortText:
		l.isWhole = true
		l.least = max(e.widest, min(head, max(leastHead, headWidth(t, i))))
	case e.wide > 0 && 2*e.spaced >= e.wide && t.cols[i].Name != "project": // a worktree's name has a space
		l.isProse, l.isCopied = true, t.Answer != nil && isToCopy(t.cols[i].Name)
		l.least = min(l.natural, leastText)
	default:
		l.least = min(l.natural, max(shortText, nameWidth(t)))
	}
	return l
}

// isShort reports whether a type's values are short, and useless when cut.
func isShort(t *result.Type) bool {
	return t.IsNumber() || t.Base == "BOOLEAN" || t.Base == "DATE" || strings.HasPrefix(t.Base, "TIME")
}

// layout chooses the shown columns and their widths.
func (t *table) layout() layout {
	lanes := t.lanes()
	l := layout{terminal: t.Width > 0}
	if !l.terminal {
		for i := range lanes {
			l.shown, l.widths = append(l.shown, i), append(l.widths, min(lanes[i].natural, asideText))
		}
		return l
	}
	if t.hasCard() {
		return t.placed(l, lanes, keepCard(t, lanes))
	}
	main := t.main(lanes)
	if !t.tighten(lanes, main) && main >= 0 {
		if t.Answer == nil {
			narrow(lanes, main, nameWidth(t))
		}
		lanes[main].least = min(lanes[main].natural, max(min(leastMain, t.Width*2/5), t.Width/4))
	}
	for i := range lanes {
		if main < 0 && !lanes[i].isWhole { // without a main text, numbers matter most
			lanes[i].least = min(lanes[i].least, nameWidth(t))
		}
	}
	return t.placed(l, lanes, choose(lanes, main, t.Width, t.order()))
}

// placed returns the layout of the shown columns, with their widths.
func (t *table) placed(l layout, lanes []lane, shown []int) layout {
	l.shown = shown
	l.widths = spread(lanes, l.shown, t.Width-overhead(len(l.shown)))
	for i := range lanes {
		if !slices.Contains(l.shown, i) {
			l.hidden = append(l.hidden, i)
		}
	}
	return t.sideways(l, lanes)
}

// main returns the main text column: the first column of prose that is filled in at
// least a third of the rows. It tries the columns in [table.order]. If every column of
// prose is emptier, main returns the first; -1 without any.
func (t *table) main(lanes []lane) int {
	first := -1
	for _, i := range t.order() {
		if !lanes[i].isProse {
			continue
		}
		if 3*t.extents[i].filled >= len(t.rows) {
			return i
		}
		if first < 0 {
			first = i
		}
	}
	return first
}

// tighten narrows the columns with text if that makes all columns fit. The main text
// keeps about leastMain, or half of the screen. tighten reports whether all columns
// fit; otherwise it changes nothing.
func (t *table) tighten(lanes []lane, main int) bool {
	least := make([]int, len(lanes))
	for i, l := range lanes {
		least[i] = l.least
		switch {
		case i == main:
			least[i] = min(l.natural, leastMain, max(tightText, t.Width/2-20))
		case l.isProse:
			least[i] = min(l.least, tightText)
		case !l.isWhole:
			least[i] = min(l.least, nameWidth(t))
		}
	}
	if overhead(len(lanes))+sum(least) > t.Width {
		return false
	}
	for i := range lanes {
		lanes[i].least = least[i]
	}
	return true
}

// nameWidth returns the minimum width of names without spaces: leastName, but about a
// sixth of a narrow screen.
func nameWidth(t *table) int { return max(tightText, min(leastName, t.Width/6)) }

// choose returns the columns to show on a terminal of the given width. If the least
// widths of all columns fit, it returns all. Otherwise it reserves room for the main
// text column, then takes the other columns in the given order until one doesn't fit.
// After the main text it tries again with the columns that follow.
func choose(lanes []lane, main, columns int, order []int) (shown []int) {
	room := columns - 1
	if main >= 0 {
		room -= lanes[main].least + 3
	}
	full := false
	for _, i := range order {
		switch least := lanes[i].least; {
		case i == main:
			full = false
			shown = append(shown, i)
		case full:
		case room >= least+3 || len(shown) == 0 && main < 0:
			room -= least + 3
			shown = append(shown, i)
		default:
			full = true
		}
	}
	slices.Sort(shown)
	return shown
}

// spread returns the widths of the shown columns. From their least widths, columns grow
// in turn while the room lasts: short values to their full width, prose and then other
// texts to two lines per cell, and at last both to one line.
func spread(lanes []lane, shown []int, room int) []int {
	widths := lists.Map(shown, func(i int) int { return lanes[i].least })
	if len(shown) == 1 {
		widths[0] = max(1, min(widths[0], room))
	}
	for _, want := range []func(lane) int{
		func(l lane) int { return valueIf(l.isWhole, l.natural) },
		func(l lane) int { return valueIf(l.isProse, inTwoLines(l.natural)) },
		func(l lane) int { return inTwoLines(l.natural) },
		func(l lane) int { return valueIf(l.isProse, l.natural) },
		func(l lane) int { return l.natural },
	} {
		limits := make([]int, len(shown))
		for n, i := range shown {
			limits[n] = max(widths[n], want(lanes[i]))
		}
		widths = fit(limits, widths, room)
	}
	return widths
}

func valueIf(is bool, n int) int {
	if is {
		return n
	}
	return 0
}

// inTwoLines returns the width at which a text of that many cells usually takes two
// lines.
func inTwoLines(cells int) int { return min(cells, cells/2+cells/10+3) }

// sideways shows the columns that don't fit after all, to the right of the screen, if
// the table goes through a pager that scrolls to the right.
func (t *table) sideways(l layout, lanes []lane) layout {
	if !t.Sideways || len(l.hidden) == 0 || t.Height == 0 || t.lines(l) < t.Height {
		return l
	}
	for _, i := range l.hidden {
		l.shown, l.widths = append(l.shown, i), append(l.widths, min(lanes[i].natural, asideText))
	}
	l.aside, l.hidden = len(l.hidden), nil
	return l
}

// lines returns the number of lines that the table takes on the screen. It stops
// counting after the screen's height.
func (t *table) lines(l layout) int {
	lines := 5 + strings.Count(t.footer(l, len(t.rows)), "\n")
	if t.Answer != nil {
		lines--
	}
	for _, row := range t.rows {
		most := 1
		for n, i := range l.shown {
			if width(row[i]) > l.widths[n] {
				most = 2
			}
		}
		if lines += most; lines > t.Height {
			break
		}
	}
	return lines
}

// fit returns the natural width of each column if the room is enough. If not, the
// widest columns shrink first, each at most to its least width.
func fit(natural, least []int, room int) []int {
	low, high := 0, 0
	for _, w := range natural {
		high = max(high, w)
	}
	// Find the largest limit: the columns fit if none is wider than the limit.
	for low < high {
		limit := (low + high + 1) / 2
		if sum(clamp(natural, least, limit)) <= room {
			low = limit
		} else {
			high = limit - 1
		}
	}
	widths := clamp(natural, least, low)
	rest := room - sum(widths)
	for i := range widths {
		if rest > 0 && widths[i] < natural[i] && widths[i] == low {
			widths[i]++
			rest--
		}
	}
	return widths
}

func clamp(natural, least []int, limit int) []int {
	widths := make([]int, len(natural))
	for i := range natural {
		widths[i] = max(least[i], min(natural[i], limit))
	}
	return widths
}

func sum(widths []int) int {
	total := 0
	for _, w := range widths {
		total += w
	}
	return total
}

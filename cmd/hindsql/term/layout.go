package term

import (
	"slices"
	"strings"

	"hindsql/internal/result"
	"hindsql/internal/words"
)

// layout says which columns of a table are shown, in which order, and how wide.
type layout struct {
	shown, widths []int
	hidden        []int // columns that the screen has no room for
	aside         int   // columns at the end of shown that stand to the right of the screen
	terminal      bool  // cells are cut and take two lines
}

// widthOf is that of a column that is shown.
func (l *layout) widthOf(column int) int { return l.widths[slices.Index(l.shown, column)] }

// extent is what is known of a column's cells.
type extent struct {
	widest   int // of its cells; its name left out
	thinnest int // NULL left out; 0: none yet
	filled   int // cells that aren't NULL
	wide     int // cells that are wider than a word
	spaced   int // of those, such as have words
}

// Widths of columns on a terminal.
const (
	oneWord   = 24 // cells that are wider, and have spaces, are prose
	evenLimit = 20 // texts that are all of one width, such as times, are whole up to it
	shortText = 16 // texts are whole up to it; others may be cut to it
	leastMain = 40 // of the text that a reader came for
	leastText = 20 // of another text
	leastName = 20 // of what has no spaces, such as a model or a path
	tightText = 10 // of any but that, where then all columns are shown
	leastHead = 8  // letters of a column's name
	asideText = 60 // of a column to the right of the screen
)

func (e *extent) take(cell string, isValue bool) {
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

// overhead is what n columns take beside their text: a border and two spaces each.
func overhead(n int) int { return 3*n + 1 }

// lane is what a column needs of a terminal's width.
type lane struct {
	natural, least int
	isProse        bool
	isWhole        bool // its values are useless when cut
}

// lane is that of a column. Numbers, and short texts that are all of one width,
// keep theirs.
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
		l.least = max(e.widest, min(head, leastHead))
	case e.wide > 0 && 2*e.spaced >= e.wide:
		l.isProse = true
		l.least = min(l.natural, leastText)
	default:
		l.least = min(l.natural, max(shortText, t.nameWidth()))
	}
	return l
}

// isShort says that values of the type are short, and useless when cut.
func isShort(t *result.Type) bool {
	return t.IsNumber() || t.Base == "BOOLEAN" || t.Base == "DATE" || strings.HasPrefix(t.Base, "TIME")
}

// layout chooses the columns that are shown, and their widths.
func (t *table) layout() layout {
	lanes := make([]lane, len(t.cols))
	for i := range lanes {
		lanes[i] = t.lane(i)
	}
	l := layout{terminal: t.Width > 0}
	if !l.terminal {
		for i := range lanes {
			l.shown, l.widths = append(l.shown, i), append(l.widths, lanes[i].natural)
		}
		return l
	}
	main := t.main(lanes)
	if !t.tighten(lanes, main) && main >= 0 {
		lanes[main].least = min(lanes[main].natural, max(min(leastMain, t.Width*2/5), t.Width/4))
	}
	for i := range lanes {
		if main < 0 && !lanes[i].isWhole { // numbers are what is read
			lanes[i].least = min(lanes[i].least, t.nameWidth())
		}
	}
	l.shown = choose(lanes, main, t.Width, t.order())
	l.widths = spread(lanes, l.shown, t.Width-overhead(len(l.shown)))
	for i := range lanes {
		if !slices.Contains(l.shown, i) {
			l.hidden = append(l.hidden, i)
		}
	}
	return t.sideways(l, lanes)
}

// main is the first text that most rows have, which a reader came for, of the card
// before others; else the first text; -1 where there is none.
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

// tighten takes room from texts where all columns then fit, and the main one
// keeps about its least, or half of the width. It says whether they do.
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
			least[i] = min(l.least, t.nameWidth())
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

// nameWidth is the least of what has no spaces: a sixth of a narrow screen.
func (t *table) nameWidth() int { return max(tightText, min(leastName, t.Width/6)) }

// choose gives the columns for a terminal of the given width: all of them if that
// is possible when each has its least width. Else the main text has its room
// first, and the others are taken in their order, those that stand before the main
// text before those behind it.
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

// spread shares the room among the columns that are shown: what is short is whole,
// then texts get what they take on two lines, then on one.
func spread(lanes []lane, shown []int, room int) []int {
	widths := make([]int, len(shown))
	for n, i := range shown {
		widths[n] = lanes[i].least
	}
	if len(shown) == 1 {
		widths[0] = max(1, min(widths[0], room))
	}
	for _, want := range []func(lane) int{
		func(l lane) int { return onlyIf(l.isWhole, l.natural) },
		func(l lane) int { return onlyIf(l.isProse, inTwoLines(l.natural)) },
		func(l lane) int { return inTwoLines(l.natural) },
		func(l lane) int { return onlyIf(l.isProse, l.natural) },
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

func onlyIf(is bool, n int) int {
	if is {
		return n
	}
	return 0
}

// inTwoLines is the width at which a text of that many cells mostly takes two lines.
func inTwoLines(cells int) int { return min(cells, cells/2+cells/10+3) }

// sideways puts the columns that have no room to the right of the screen, where a
// pager that scrolls there shows the table.
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

// lines is how many lines of the screen the table takes.
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

// fit gives each column its natural width or, when the room does not suffice,
// a narrower one: the widest give way first, none below its least width.
func fit(natural, least []int, room int) []int {
	low, high := 0, 0
	for _, w := range natural {
		high = max(high, w)
	}
	// The highest limit of all widths under which they fit.
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

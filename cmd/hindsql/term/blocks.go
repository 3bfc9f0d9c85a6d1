package term

import (
	"bufio"
	"slices"
	"strings"
)

const (
	blocksBelow = 100 // on narrower terminals a query with a card of several lines shows blocks
	blockLines  = 3   // of a row
	blockMargin = 2   // of a block's lines after the first
	blockGap    = 2   // between values
	leastSaid   = 20  // minimum of a text beside other values
)

// hasCard reports whether the query says which columns matter, and the result has some.
func (t *table) hasCard() bool { return t.Answer != nil && len(t.card()) > 0 }

// card returns the indexes of the card's columns, in the card's order.
func (t *table) card() []int { return t.places(slices.Concat(t.Answer.Card...)) }

// isNarrow reports whether the answer is shown in blocks, one a row: on a terminal of
// less than blocksBelow columns, or if a table had too little room for the card's texts.
func isNarrow(t *table) bool {
	if t.Width == 0 || !t.hasCard() || len(t.Answer.Card) < 2 {
		return false
	}
	if t.Width < blocksBelow || !isTight(t) {
		return t.Width < blocksBelow
	}
	abbreviateTable(t)
	return isTight(t)
}

// blocks is a table whose rows are shown as blocks of lines.
type blocks struct {
	of     *table
	first  []int   // columns of the first line
	widths []int   // their widths
	lines  [][]int // columns of the lines after the first
}

// write writes each row as a block: the card's first line in columns, below it the
// other lines with the columns' names. A line without values is left out.
func (b *blocks) write(w *bufio.Writer) error {
	abbreviateTable(b.of)
	l := b.arrange()
	head := make([]string, len(b.first))
	for n, i := range b.first {
		head[n] = b.of.paint(bold, b.padded(b.of.names[i], i, b.widths[n]))
	}
	w.WriteString(strings.TrimRight(strings.Join(head, "  "), " ") + "\n" + strings.Repeat("─", b.of.Width) + "\n")
	for _, row := range b.of.rows {
		b.firstLine(w, row)
		for _, line := range b.lines {
			if s := b.labelled(line, row); s != "" {
				w.WriteString(strings.Repeat(" ", blockMargin) + s + "\n")
			}
		}
	}
	if len(b.of.rows) > 0 {
		w.WriteString(strings.Repeat("─", b.of.Width) + "\n")
	}
	_, err := w.WriteString(b.of.footer(l, len(b.of.rows)))
	return err
}

func (b *blocks) firstLine(w *bufio.Writer, row []string) {
	cells := make([]string, len(b.first))
	for n, i := range b.first {
		s := cutCell(row[i], b.widths[n])
		b.of.cut = b.of.cut || s != row[i]
		cells[n] = b.of.paint(wordColors[s], b.padded(s, i, b.widths[n]))
	}
	w.WriteString(strings.TrimRight(strings.Join(cells, "  "), " ") + "\n")
}

// padded returns a text as wide as its column.
func (b *blocks) padded(s string, i, columns int) string {
	s = cutCell(s, columns)
	pad := strings.Repeat(" ", max(0, columns-width(s)))
	if b.of.isRightAligned(i) {
		return pad + s
	}
	return s + pad
}

// labelled returns a line of a block: the columns' names and values, without empty
// values. Texts share the room that is left by the others; without room, columns go to
// lines of their own.
func (b *blocks) labelled(line []int, row []string) string {
	var some []int
	whole := b.of.Width - blockMargin
	room, texts := whole, 0
	for _, i := range line {
		if row[i] == "" {
			continue
		}
		some = append(some, i)
		room -= width(b.of.names[i]) + 1 + blockGap
		if b.of.lane(i).isProse {
			texts++
		} else {
			room -= width(row[i])
		}
	}
	var text strings.Builder
	used := 0
	for _, i := range some {
		name := b.of.names[i]
		most := whole - width(name) - 1
		if b.of.lane(i).isProse && (room+blockGap)/texts >= leastSaid {
			most = min(most, (room+blockGap)/texts)
		}
		s := cutCell(row[i], most)
		b.of.cut = b.of.cut || s != row[i]
		part := width(name) + 1 + width(s)
		switch {
		case used > 0 && used+blockGap+part > whole:
			text.WriteString("\n" + strings.Repeat(" ", blockMargin))
			used = 0
		case used > 0:
			text.WriteString(strings.Repeat(" ", blockGap))
			used += blockGap
		}
		text.WriteString(b.of.paint(dim, name) + " " + b.of.paint(wordColors[s], s))
		used += part
	}
	return text.String()
}

// arrange arranges the columns. Columns outside the card follow on the last line if that
// line has no text, as long as they fit in each row. The layout names the hidden columns.
func (b *blocks) arrange() (l layout) {
	l.terminal = true
	for n, names := range b.of.Answer.Card {
		switch places := b.of.places(names); {
		case n == 0:
			b.first, b.widths = places, b.firstWidths(places)
			for len(b.first) > 1 && sum(b.widths)+blockGap*(len(b.first)-1) > b.of.Width {
				b.first = b.first[:len(b.first)-1]
				b.widths = b.firstWidths(b.first)
			}
			if rest := places[len(b.first):]; len(rest) > 0 {
				b.lines = append(b.lines, rest)
			}
		case len(places) > 0:
			b.lines = append(b.lines, places)
		}
	}
	shown := slices.Concat(b.first, slices.Concat(b.lines...))
	last := b.roomy()
	for i := range b.of.cols {
		switch {
		case slices.Contains(shown, i):
		case last != nil && !b.of.lane(i).isProse && b.labels(append(slices.Clone(*last), i)) <= b.of.Width-blockMargin:
			*last = append(*last, i)
		default:
			l.hidden = append(l.hidden, i)
		}
	}
	return l
}

// roomy returns the last line, if it has no text, and so room for columns outside the
// card. Otherwise it adds a line, or returns nil if the block is full.
func (b *blocks) roomy() *[]int {
	isText := func(i int) bool { return b.of.lane(i).isProse }
	if n := len(b.lines) - 1; n >= 0 && !slices.ContainsFunc(b.lines[n], isText) {
		return &b.lines[n]
	}
	if len(b.lines)+1 >= blockLines {
		return nil
	}
	b.lines = append(b.lines, nil)
	return &b.lines[len(b.lines)-1]
}

// labels returns the width of a line of a block with the widest values.
func (b *blocks) labels(line []int) (cells int) {
	for n, i := range line {
		if n > 0 {
			cells += blockGap
		}
		cells += width(b.of.names[i]) + 1 + b.of.extents[i].widest
	}
	return cells
}

// firstWidths returns the widths of the columns of a block's first line. The last text
// gets the rest of the line, so names beside a text are short.
func (b *blocks) firstWidths(places []int) []int {
	natural, least := make([]int, len(places)), make([]int, len(places))
	hasText := slices.ContainsFunc(places, func(i int) bool { return b.of.lane(i).isProse })
	for n, i := range places {
		l := b.of.lane(i)
		natural[n], least[n] = l.natural, min(l.least, nameWidth(b.of))
		switch {
		case l.isWhole:
			least[n] = l.natural
		case hasText && !l.isProse:
			natural[n] = min(l.natural, leastName)
		}
	}
	return fit(natural, least, b.of.Width-blockGap*(len(places)-1))
}

// Widths of the card's texts, in terminal cells.
const (
	cardText  = 30 // minimum before columns outside the card are shown
	tableText = 18 // minimum in a table; with less, blocks say more
)

// fitted chooses the shown columns and their widths. If columns of a saved query don't
// fit, it first shortens times, projects, models and ids.
func (t *table) fitted() layout {
	l := t.layout()
	if len(l.hidden)+l.aside > 0 && abbreviateTable(t) {
		l = t.layout()
	}
	return l
}

// keepCard returns the columns to show of an answer with a card. The card's columns
// come first: their texts narrow until all of them fit. Other columns follow as long as
// the card's texts keep cardText. It sets the least widths in lanes.
func keepCard(t *table, lanes []lane) []int {
	card := t.card()
	wanted, least := make([]int, len(card)), make([]int, len(card))
	for n, i := range card {
		l := &lanes[i]
		switch {
		case l.isCopied:
			l.least = min(l.natural, inTwoLines(l.natural))
			least[n] = l.least
		case l.isProse:
			l.least = min(l.natural, max(tightText, min(inTwoLines(l.natural), cardText)))
			least[n] = min(l.least, tightText)
		case l.isWhole:
			least[n] = l.least
		default:
			l.least = min(l.natural, max(oneWord, nameWidth(t)))
			least[n] = min(l.least, tightText)
		}
		wanted[n] = l.least
	}
	for n, cells := range fit(wanted, least, t.Width-overhead(len(card))) {
		lanes[card[n]].least = cells
	}
	return choose(lanes, -1, t.Width, t.order())
}

// isTight reports whether a table would show a text of the card in less than tableText.
func isTight(t *table) bool {
	lanes := t.lanes()
	keepCard(t, lanes)
	for _, i := range t.card() {
		if lanes[i].isProse && lanes[i].least < min(tableText, inTwoLines(lanes[i].natural)) {
			return true
		}
	}
	return false
}

// narrow narrows the texts other than the main text to least, so that more columns fit.
func narrow(lanes []lane, main, least int) {
	for i := range lanes {
		if l := &lanes[i]; i != main && !l.isWhole {
			l.least = min(l.least, least)
		}
	}
}

// headWidth returns the width at which a column's name breaks only after underscores; 0
// if that takes a word longer than wholeHead.
func headWidth(t *table, i int) (longest int) {
	for part := range strings.SplitAfterSeq(t.names[i], "_") {
		longest = max(longest, width(part))
	}
	return valueIf(longest <= wholeHead, longest)
}

// isToCopy reports whether a saved query's column has commands or rules to copy.
func isToCopy(column string) bool { return column == "resume" || strings.HasSuffix(column, "_rule") }

package term

import "strings"

// Widths of the card's texts, in terminal cells.
const (
	cardText  = 30 // minimum before columns outside the card are shown
	tableText = 18 // minimum in a table; with less, blocks say more
)

// fitted chooses the shown columns and their widths. If columns of a saved query don't
// fit, it first shortens times, projects, models and ids.
func (t *table) fitted() layout {
	l := t.layout()
	if len(l.hidden)+l.aside > 0 && abridge(t) {
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
	return onlyIf(longest <= wholeHead, longest)
}

// isToCopy reports whether a saved query's column has commands or rules to copy.
func isToCopy(column string) bool { return column == "resume" || strings.HasSuffix(column, "_rule") }

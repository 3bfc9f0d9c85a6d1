package term

import (
	"github.com/mattn/go-runewidth"

	"hindsql/internal/printable"
	"hindsql/internal/words"
)

// glyphs measures text as today's terminals draw it, whatever the locale.
var glyphs = runewidth.Condition{StrictEmojiNeutral: true}

// width is the number of terminal cells that s takes.
func width(s string) int {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return glyphs.StringWidth(s)
		}
	}
	return len(s)
}

// cut shortens s to at most n cells, the last of them "…".
func cut(s string, n int) string {
	return words.CutTo(s, n, cells)
}

// cells is the room of so many cells for a text: what is drawn as one stays whole.
func cells(s string, n int) int {
	if len(s) <= n || width(s) <= n {
		return len(s)
	}
	return len(glyphs.Truncate(s, n, ""))
}

// oneLine makes a text fit for a table's cell: line ends and tabs as signs, and
// what else is no text as its code.
func oneLine(s string) string {
	return printable.Line(words.Signs(s))
}

package term

import (
	"github.com/mattn/go-runewidth"

	"hindsql/internal/printable"
	"hindsql/internal/words"
)

// glyphs measures text as current terminals draw it, in any locale.
var glyphs = runewidth.Condition{StrictEmojiNeutral: true}

// width returns the number of terminal cells of s.
func width(s string) int {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return glyphs.StringWidth(s)
		}
	}
	return len(s)
}

// cut shortens s to at most n cells, with "…" in the last.
func cut(s string, n int) string {
	return words.CutTo(s, n, cells)
}

// cells returns how many bytes of s fit into n cells. It splits no combined characters.
func cells(s string, n int) int {
	if len(s) <= n || width(s) <= n {
		return len(s)
	}
	return len(glyphs.Truncate(s, n, ""))
}

// oneLine prepares a text for a table's cell. Line ends and tabs become signs, and
// other characters that aren't text become codes.
func oneLine(s string) string {
	return printable.Line(words.Signs(s))
}

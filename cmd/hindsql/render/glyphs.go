package render

import (
	"strings"

	"github.com/mattn/go-runewidth"

	"hindsql/visible"
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
	if len(s) <= n || width(s) <= n {
		return s
	}
	return glyphs.Truncate(s, n, "…")
}

const lineEnd = "⏎"

// oneLine makes a text fit for a table's cell: line ends and tabs as signs, and
// what else is no text as its code.
func oneLine(s string) string {
	if strings.ContainsAny(s, "\n\r\t") {
		s = strings.TrimRight(s, "\r\n")
		s = strings.NewReplacer("\r\n", lineEnd, "\n", lineEnd, "\r", lineEnd, "\t", "⇥").Replace(s)
	}
	return visible.Line(s)
}

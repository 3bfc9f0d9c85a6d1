package html

import (
	"html/template"
	"strings"
	"unicode/utf8"

	"hindsql/internal/printable"
)

// Seen is HTML in which what is no text stands as its code, wherever it stands:
// Markdown can write a character by its number, and a template takes one from a name.
// Their codes are text in every place that text may have. Line ends and tabs stay,
// and so do the characters that are named.
func Seen(html []byte, but string) []byte {
	shown := make([]byte, 0, len(html))
	var before rune
	for len(html) > 0 {
		if b := html[0]; b >= ' ' && b <= '~' || b == '\n' || b == '\t' || b < ' ' && strings.IndexByte(but, b) >= 0 {
			shown, before, html = append(shown, b), rune(b), html[1:]
			continue
		}
		r, size := utf8.DecodeRune(html)
		if r == utf8.RuneError && size == 1 || !printable.IsText(r, before) {
			shown = append(shown, template.HTMLEscapeString(printable.Code(r, size, html[0]))...)
		} else {
			shown = append(shown, html[:size]...)
		}
		before, html = r, html[size:]
	}
	return shown
}

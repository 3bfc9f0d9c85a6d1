package html

import (
	"html/template"
	"strings"
	"unicode/utf8"

	"hindsql/internal/printable"
)

// Seen replaces unprintable characters in finished HTML by codes, wherever they are:
// Markdown can write a character by number, and a template may insert one from a name.
// Codes are valid text everywhere in HTML. Line ends, tabs and the characters in but
// stay.
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

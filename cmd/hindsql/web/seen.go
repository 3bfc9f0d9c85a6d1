package web

import (
	"html/template"
	"unicode/utf8"

	"hindsql/visible"
)

// seen is a page in which what is no text stands as its code, wherever a template
// put it: a name that turns the line around it is shown for what it is. Templates
// escape what means something in HTML; these characters mean nothing there, and
// their codes are text in every place that text may have.
func seen(page []byte) []byte {
	shown := make([]byte, 0, len(page))
	var before rune
	for len(page) > 0 {
		if b := page[0]; b >= ' ' && b <= '~' || b == '\n' || b == '\t' || b == '\r' {
			shown, before, page = append(shown, b), rune(b), page[1:]
			continue
		}
		r, size := utf8.DecodeRune(page)
		if r == utf8.RuneError && size == 1 || !visible.IsText(r, before) {
			shown = append(shown, template.HTMLEscapeString(visible.Code(r, size, page[0]))...)
		} else {
			shown = append(shown, page[:size]...)
		}
		before, page = r, page[size:]
	}
	return shown
}

package html

import (
	"fmt"
	"html/template"
	"strings"
	"unicode/utf8"

	"hindsql/internal/printable"
	"hindsql/internal/words"
)

// Limits for texts on a page, in bytes.
const (
	longestText = 64 << 10
	longestCode = 32 << 10 // highlighted, which takes time
	longestLine = 2000     // line of a diff
	longestCell = 8 << 10  // cell of a table
	// longestLabel is the limit for a column's title and for words in a drawing.
	longestLabel = 200
)

// escape returns a text as HTML. Unprintable characters are shown as codes.
func escape(s string) string { return template.HTMLEscapeString(clean(s)) }

// clean replaces unprintable characters by codes and Windows line ends by \n.
func clean(s string) string { return printable.Text(strings.ReplaceAll(s, "\r\n", "\n")) }

// cut returns the beginning of a text, and the number of characters left out.
func cut(s string, most int) (shown string, rest int) {
	end := words.Bytes(s, most)
	return s[:end], utf8.RuneCountInString(s[end:])
}

// beginning cuts a text in a line or cell, and says how much is shown.
func beginning(s string, most int) string {
	short, _ := words.CutTold(s, most, words.Bytes)
	return short
}

// more returns a note such as "… 12 more characters"; empty if rest is 0.
func more(rest int) template.HTML {
	if rest == 0 {
		return ""
	}
	return template.HTML(fmt.Sprintf(`<p class="note more">… %s</p>`, words.Quantity(rest, "more character")))
}

// Text returns a text with its line ends, cut if very long.
func Text(s string) template.HTML {
	shown, rest := cut(s, longestText)
	return template.HTML(`<div class="text">`+escape(shown)+"</div>") + more(rest)
}

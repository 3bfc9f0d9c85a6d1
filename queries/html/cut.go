package html

import (
	"fmt"
	"html/template"
	"strings"
	"unicode/utf8"

	"hindsql/internal/printable"
	"hindsql/internal/words"
)

// How much of a text a page shows, in bytes.
const (
	longestText = 64 << 10
	longestCode = 32 << 10 // is highlighted, which takes its time
	longestLine = 2000     // of a diff
	longestCell = 8 << 10  // of a table
	// longestLabel is that of a column's title, and of a drawing's words.
	longestLabel = 200
)

// escape makes a text HTML, in which it means itself. What is no text is shown as
// its code.
func escape(s string) string { return template.HTMLEscapeString(clean(s)) }

// clean is a text free of what is no text. The line ends of Windows are line ends.
func clean(s string) string { return printable.Text(strings.ReplaceAll(s, "\r\n", "\n")) }

// cut is the beginning of a text, and how many characters of it are left out.
func cut(s string, most int) (shown string, rest int) {
	end := words.Bytes(s, most)
	return s[:end], utf8.RuneCountInString(s[end:])
}

// beginning is a text within a line or a cell, which says how much of it is shown.
func beginning(s string, most int) string {
	short, _ := words.CutTold(s, most, words.Bytes)
	return short
}

// more says how much is left out.
func more(rest int) template.HTML {
	if rest == 0 {
		return ""
	}
	return template.HTML(fmt.Sprintf(`<p class="note more">… %s</p>`, words.Quantity(rest, "more character")))
}

// Text is a text with its line ends, cut where it is very long.
func Text(s string) template.HTML {
	shown, rest := cut(s, longestText)
	return template.HTML(`<div class="text">`+escape(shown)+"</div>") + more(rest)
}

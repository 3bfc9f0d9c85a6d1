package tables

import "strings"

// OneLine is a text as one line of at most so many characters, with … where
// something was cut.
func OneLine(text string, most int) string {
	if len(text) > 8*most { // no need to look at all of a long one
		text = strings.ToValidUTF8(text[:8*most], "")
	}
	line := []rune(strings.Join(strings.Fields(text), " "))
	if len(line) <= most {
		return string(line)
	}
	return string(line[:most-1]) + "…"
}

package mcp

import (
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"hindsql/internal/printable"
	"hindsql/internal/words"
)

// fill returns one page of a text that is given in parts: at most most characters,
// beginning at the place from. A part that doesn't fit is moved whole to the next page.
// Only a part longer than a page is divided. next is where the next page begins; nil at
// the end of the text. Control characters are made visible.
func fill(parts iter.Seq2[int, string], from place, most int) (text string, next *place) {
	var page strings.Builder
	left := most
	for n, part := range parts {
		if n < from.part {
			continue
		}
		part = printable.Text(part)
		behind := 0
		if n == from.part {
			behind = min(from.behind, utf8.RuneCountInString(part))
			part = part[words.Letters(part, behind):]
		}
		length := utf8.RuneCountInString(part)
		if length > left && page.Len() > 0 {
			return page.String(), &place{n, behind}
		}
		if length > left {
			return part[:words.Letters(part, left)], &place{n, behind + left}
		}
		page.WriteString(part)
		left -= length
	}
	return page.String(), nil
}

// linesOf returns the lines of a text as parts.
func linesOf(text string) iter.Seq2[int, string] {
	return slices.All(slices.Collect(strings.Lines(text)))
}

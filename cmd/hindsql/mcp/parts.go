package mcp

import (
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"hindsql/internal/printable"
	"hindsql/internal/words"
)

// fill gives as many parts of a text, from a place on, as fit into so many
// characters. A part stays whole where it can: one that fits no page begins one,
// and goes on in the next. next is nil behind the last. Control characters are
// shown.
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

// linesOf gives the lines of a text as its parts.
func linesOf(text string) iter.Seq2[int, string] {
	return slices.All(slices.Collect(strings.Lines(text)))
}

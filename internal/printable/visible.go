// Package printable shows non-text characters as codes.
//
// In: text of logs. Out: text for a terminal or browser, without characters that move,
// turn, hide or join the surrounding text. The package doesn't escape HTML and leaves
// text characters unchanged.
package printable

import (
	"fmt"
	"unicode"
	"unicode/utf8"
)

// IsText reports whether a terminal only draws r, without moving the cursor, or
// turning, hiding or joining the surrounding text. before is the preceding character, 0
// if r is the first. Characters of private use are text, because they draw a glyph or a
// box.
func IsText(r, before rune) bool {
	switch {
	case r < ' ', 0x7f <= r && r <= 0x9f:
		return false
	case r < 0x300:
		return r != 0xad // soft hyphen, seen at a line's end only
	case 0x3400 <= r && r <= 0x9fff, 0xac00 <= r && r <= 0xd7a3: // Chinese, Korean
		return true
	case r == 0x200c || r == 0x200d: // joiners shape the letters of some scripts, and join emoji
		return before >= 0x300 && IsText(before, 0)
	case 0xfe00 <= r && r <= 0xfe0f: // variation selector for the preceding character
		return before > ' ' && !unicode.Is(unicode.Variation_Selector, before)
	case 0xe0100 <= r && r <= 0xe01ef:
		return unicode.Is(unicode.Han, before)
	case unicode.Is(unicode.Cf, r):
		return unicode.Is(unicode.Prepended_Concatenation_Mark, r)
	}
	return !unicode.In(r, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point, unicode.Noncharacter_Code_Point)
}

// Code returns the visible code of a character that is no text: pictures of ASCII's
// control characters, <U+202E> for other characters, <0x9B> for bytes of invalid UTF-8.
func Code(r rune, size int, first byte) string {
	switch {
	case r == utf8.RuneError && size == 1:
		return fmt.Sprintf("<0x%02X>", first)
	case r < ' ':
		return string('\u2400' + r)
	case r == 0x7f:
		return "\u2421"
	}
	return fmt.Sprintf("<U+%04X>", r)
}

// Line returns a text for one line, with codes in place of non-text characters.
func Line(s string) string { return cleaned(s, false) }

// Text returns a text for several lines, with codes in place of non-text characters
// except line ends and tabs.
func Text(s string) string { return cleaned(s, true) }

func cleaned(s string, lines bool) string {
	clean := 0
	for clean < len(s) && (' ' <= s[clean] && s[clean] <= '~' || lines && (s[clean] == '\n' || s[clean] == '\t')) {
		clean++
	}
	if clean == len(s) {
		return s
	}
	to, before := []byte(s[:clean]), rune(0)
	if clean > 0 {
		before = rune(s[clean-1])
	}
	for rest := s[clean:]; len(rest) > 0; {
		r, size := utf8.DecodeRuneInString(rest)
		isBad := r == utf8.RuneError && size == 1
		if !isBad && IsText(r, before) || lines && (r == '\n' || r == '\t') {
			to, before = append(to, rest[:size]...), r
		} else {
			to, before = append(to, Code(r, size, rest[0])...), 0
		}
		rest = rest[size:]
	}
	return string(to)
}

package render

import (
	"fmt"
	"unicode"
	"unicode/utf8"
)

// isText says what a terminal draws and nothing else: neither moves its cursor,
// nor turns, hides or joins what stands around. before is the character before it,
// 0 for none. Characters of private use are text: they draw a glyph or a box.
func isText(r, before rune) bool {
	switch {
	case r < ' ', 0x7f <= r && r <= 0x9f:
		return false
	case r < 0x300:
		return r != 0xad // a hyphen that is seen at a line's end only
	case 0x3400 <= r && r <= 0x9fff, 0xac00 <= r && r <= 0xd7a3: // Chinese, Korean
		return true
	case r == 0x200c || r == 0x200d: // they shape the letters of some scripts, and join emoji
		return before >= 0x300 && isText(before, 0)
	case 0xfe00 <= r && r <= 0xfe0f: // how the character before is drawn
		return before > ' ' && !unicode.Is(unicode.Variation_Selector, before)
	case 0xe0100 <= r && r <= 0xe01ef:
		return unicode.Is(unicode.Han, before)
	case unicode.Is(unicode.Cf, r):
		return unicode.Is(unicode.Prepended_Concatenation_Mark, r)
	}
	return !unicode.In(r, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point, unicode.Noncharacter_Code_Point)
}

// code is how what is no text is shown: ASCII's control characters as their
// pictures, other characters as <U+202E>, bytes that are no UTF-8 as <0x9B>.
func code(r rune, size int, first byte) string {
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

// jsonCode is the escape of what is no text in a string of JSON.
func jsonCode(r rune) string {
	if r > 0xffff {
		r -= 0x10000
		return fmt.Sprintf(`\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
	}
	return fmt.Sprintf(`\u%04x`, r)
}

// visible is a text for one line: what is no text is shown as its code.
func visible(s string) string { return cleaned(s, false) }

// Visible is a text for lines: what is no text, line ends and tabs aside, is shown
// as its code.
func Visible(s string) string { return cleaned(s, true) }

func cleaned(s string, lines bool) string {
	if isASCIIText(s) {
		return s
	}
	c := cleaner{lines: lines}
	return string(c.end(c.add(nil, []byte(s))))
}

func isASCIIText(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// cleaner shows what is no text in pieces of a text, which may be cut anywhere.
type cleaner struct {
	lines   bool // line ends and tabs are text
	painted bool // our own colours are
	json    bool // codes are escapes of JSON
	before  rune
	rest    []byte // of a character or colour that the next piece goes on with
}

// add appends a piece, and keeps what may go on.
func (c *cleaner) add(to, piece []byte) []byte {
	if len(c.rest) > 0 {
		piece = append(c.rest, piece...)
		c.rest = nil
	}
	for len(piece) > 0 {
		if b := piece[0]; ' ' <= b && b <= '~' || c.lines && (b == '\n' || b == '\t') {
			to, c.before, piece = append(to, b), rune(b), piece[1:]
			continue
		}
		if c.painted && piece[0] == 0x1b {
			n, whole := ownColor(piece)
			if n > 0 && !whole {
				break
			}
			if n > 0 {
				to, piece = append(to, piece[:n]...), piece[n:]
				continue
			}
		}
		if !utf8.FullRune(piece) {
			break
		}
		to, piece = c.one(to, piece)
	}
	c.rest = append(c.rest, piece...)
	return to
}

// one appends the character that the piece begins with.
func (c *cleaner) one(to, piece []byte) (all, rest []byte) {
	r, size := utf8.DecodeRune(piece)
	isBad := r == utf8.RuneError && size == 1
	if !isBad && isText(r, c.before) {
		c.before = r
		return append(to, piece[:size]...), piece[size:]
	}
	switch {
	case c.json && isBad:
		to = append(to, `\ufffd`...)
	case c.json:
		to = append(to, jsonCode(r)...)
	default:
		to = append(to, code(r, size, piece[0])...)
	}
	c.before = 0
	return to, piece[size:]
}

// end appends what no piece went on with.
func (c *cleaner) end(to []byte) []byte {
	rest := c.rest
	c.rest = nil
	for _, b := range rest {
		switch {
		case c.json && b >= 0x80:
			to = append(to, `\ufffd`...)
		case b < 0x80 && isText(rune(b), 0):
			to = append(to, b)
		default:
			r := rune(b)
			if b >= 0x80 {
				r = utf8.RuneError
			}
			to = append(to, code(r, 1, b)...)
		}
	}
	return to
}

package term

import (
	"fmt"
	"unicode/utf8"

	"hindsql/internal/printable"
)

// jsonCode returns the JSON escape of a character.
func jsonCode(r rune) string {
	if r > 0xffff {
		r -= 0x10000
		return fmt.Sprintf(`\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
	}
	return fmt.Sprintf(`\u%04x`, r)
}

// cleaner replaces characters that aren't text by codes. Its input comes in pieces,
// which may end in the middle of a character.
type cleaner struct {
	lines   bool // line ends and tabs are text
	painted bool // hindsql's colours are text
	json    bool // codes are JSON escapes
	before  rune
	rest    []byte // start of a character or colour continued in the next piece
}

// add appends a piece to to, with codes for characters that aren't text. It keeps an
// incomplete end for the next call.
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

// one appends the first character of piece, or its code, to to.
func (c *cleaner) one(to, piece []byte) (all, rest []byte) {
	r, size := utf8.DecodeRune(piece)
	isBad := r == utf8.RuneError && size == 1
	if !isBad && printable.IsText(r, c.before) {
		c.before = r
		return append(to, piece[:size]...), piece[size:]
	}
	switch {
	case c.json && isBad:
		to = append(to, `\ufffd`...)
	case c.json:
		to = append(to, jsonCode(r)...)
	default:
		to = append(to, printable.Code(r, size, piece[0])...)
	}
	c.before = 0
	return to, piece[size:]
}

// end appends the incomplete end that add kept.
func (c *cleaner) end(to []byte) []byte {
	rest := c.rest
	c.rest = nil
	for _, b := range rest {
		switch {
		case c.json && b >= 0x80:
			to = append(to, `\ufffd`...)
		case b < 0x80 && printable.IsText(rune(b), 0):
			to = append(to, b)
		default:
			r := rune(b)
			if b >= 0x80 {
				r = utf8.RuneError
			}
			to = append(to, printable.Code(r, 1, b)...)
		}
	}
	return to
}

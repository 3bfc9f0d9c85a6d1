package redact

import (
	"slices"
	"strconv"
	"strings"
)

// fold is a copy of a part of the text. Characters that split a secret, and so hide it
// from the rules, are removed: a terminal's colours, characters of no width, line
// continuations after a backslash, and signs that join strings. %-escapes are decoded.
type fold struct {
	text  []byte
	place []int // position in the original text of each byte, and of the end
	gaps  []int // positions in the copy where characters were removed
}

// foldAround is how many bytes to search on each side of removed characters.
const foldAround = 256

// folded searches the parts of the text that have removable characters.
func (r *Redactor) folded(found []finding, text string) []finding {
	for at := 0; at < len(text); {
		first := nextGap(text, at)
		if first < 0 {
			break
		}
		start, end := max(at, first-foldAround), min(len(text), first+foldAround)
		start -= runBack(text[:start], func(c byte) bool { return !isSpace(c) }, 64) // to keep words whole
		f := fold{}
		for i := start; i < end; {
			n, c := gapAt(text, i)
			if n == 0 {
				f.text, f.place = append(f.text, text[i]), append(f.place, i)
				i++
				continue
			}
			f.gaps = append(f.gaps, len(f.text))
			if c > 0 {
				f.text, f.place = append(f.text, c), append(f.place, i)
			}
			i += n
			end = min(len(text), max(end, i+foldAround))
		}
		f.place = append(f.place, end)
		found = f.search(r, found)
		at = end
	}
	return found
}

// search adds the rules' findings in the fold that lie near removed characters.
func (f *fold) search(r *Redactor, found []finding) []finding {
	for _, x := range r.plain(nil, string(f.text)) {
		near, _ := slices.BinarySearch(f.gaps, x.start-64)
		if near < len(f.gaps) && f.gaps[near] <= x.end {
			found = append(found, finding{x.rule, f.place[x.start], f.place[x.end-1] + 1})
		}
	}
	return found
}

// opens are the possible first bytes of removable characters.
var opens = [256]bool{0x1b: true, 0xe2: true, 0xef: true, 0xc2: true, '\\': true, '%': true, '"': true, '\'': true}

func nextGap(text string, at int) int {
	for ; at < len(text); at++ {
		if opens[text[at]] {
			if n, _ := gapAt(text, at); n > 0 {
				return at
			}
		}
	}
	return -1
}

// gapAt returns how many bytes to remove at a position, and a byte to put in their
// place, or 0.
func gapAt(text string, at int) (n int, c byte) {
	rest := text[at:]
	switch rest[0] {
	case 0x1b:
		return colour(rest, 1), 0
	case 0xe2, 0xef, 0xc2:
		return unseen(rest), 0
	case '%':
		if len(rest) > 2 && isHex(rest[1]) && isHex(rest[2]) {
			if c, _ := strconv.ParseUint(rest[1:3], 16, 8); c >= ' ' && c < 0x7f {
				return 3, byte(c)
			}
		}
	case '\\':
		return escaped(rest), 0
	case '"', '\'':
		return joint(rest), 0
	}
	return 0, 0
}

// colour returns the length of a terminal's escape sequence with [ at a position, 0 if
// none.
func colour(rest string, at int) int {
	if at >= len(rest) || rest[at] != '[' {
		return 0
	}
	n := at + 1 + run(rest[at+1:], func(c byte) bool { return '0' <= c && c <= '?' }, 24)
	if n < len(rest) && '@' <= rest[n] && rest[n] <= '~' {
		return n + 1
	}
	return 0
}

// unseen returns the length of a character of no width.
func unseen(rest string) int {
	for _, s := range []string{"\u200b", "\u200c", "\u200d", "\u2060", "\ufeff", "\u00ad", "\u200e", "\u200f"} {
		if strings.HasPrefix(rest, s) {
			return len(s)
		}
	}
	return 0
}

// escaped returns the length of an escaped colour, of an escaped character of no width,
// or of a backslash at a line's end with the following space.
func escaped(rest string) int {
	for _, s := range []string{`\u001b`, `\x1b`, `\033`, `\e`} {
		if strings.HasPrefix(rest, s) {
			return colour(rest, len(s))
		}
	}
	for _, s := range []string{`\u200b`, `\u200c`, `\u200d`, `\u2060`, `\ufeff`, `\u00ad`} {
		if len(rest) >= len(s) && strings.EqualFold(rest[:len(s)], s) {
			return len(s)
		}
	}
	n := run(rest, func(c byte) bool { return c == '\\' }, 4)
	switch {
	case n < len(rest) && (rest[n] == '\n' || rest[n] == '\r'):
	case n >= 2 && n < len(rest) && rest[n] == 'n': // both are escaped again
		n++
	default:
		return 0
	}
	return n + run(rest[n:], func(c byte) bool { return isSpace(c) || c == '+' }, 24)
}

// joint returns the length of a quote, a sign that joins strings, and a second quote.
func joint(rest string) int {
	n := 1 + run(rest[1:], isSpace, 24)
	sign := run(rest[n:], func(c byte) bool { return c == '+' || c == '.' || c == '&' || c == '\\' }, 2)
	gap := n > 1 && strings.Contains(rest[1:n], "\n")
	n += sign
	if n += run(rest[n:], isSpace, 24); n < len(rest) && rest[n] == '+' && gap { // of a diff
		n++
		n += run(rest[n:], isSpace, 24)
	}
	if sign == 0 && !gap || n >= len(rest) || rest[n] != rest[0] {
		return 0
	}
	return n + 1
}

func isHex(c byte) bool { return isDigit(c) || 'a' <= lower(c) && lower(c) <= 'f' }

package readers

import (
	"encoding/binary"
	"math/bits"
	"strings"
	"unicode/utf8"
	"unsafe"
)

// isCanonical reports whether a value's text is already what [JSON] makes of the value.
// The text is that of a parsed value. Nearly all agents write such texts, and copying
// one takes a tenth of the time of parsing and quoting its strings.
func isCanonical(text string) bool {
	high := uint64(0) // the high bits of all bytes
	for i := 0; i < len(text); {
		switch text[i] {
		case '"':
			end, more := canonicalString(text, i+1)
			if end < 0 {
				return false
			}
			i, high = end, high|more
		case '{', '}', '[', ']', ':', ',':
			i++
		case 't', 'n', 'f':
			n := literalLen(text[i:])
			if n == 0 {
				return false
			}
			i += n
		default:
			n := digitsLen(text[i:])
			if n == 0 {
				return false
			}
			i += n
		}
	}
	return high&highBits == 0 || utf8.ValidString(text)
}

func literalLen(text string) int {
	for _, word := range [...]string{"true", "false", "null"} {
		if strings.HasPrefix(text, word) {
			return len(word)
		}
	}
	return 0
}

// mostDigits is the length of the longest number that surely is no infinity.
const mostDigits = 300

// digitsLen returns the length of the number that a text begins with, or 0 for a number
// that may have to be changed: with an exponent, with too many digits, or no JSON.
func digitsLen(text string) int {
	i := 0
	if text[0] == '-' {
		i++
	}
	from := i
	i += countDigits(text[i:])
	if i == from || text[from] == '0' && i > from+1 {
		return 0
	}
	if i < len(text) && text[i] == '.' {
		n := countDigits(text[i+1:])
		if n == 0 {
			return 0
		}
		i += 1 + n
	}
	if i == len(text) || i > mostDigits || text[i] != ',' && text[i] != '}' && text[i] != ']' {
		return 0
	}
	return i
}

// countDigits returns how many digits a text begins with.
func countDigits(text string) int {
	n := 0
	for n < len(text) && isDigit(text[n]) {
		n++
	}
	return n
}

const (
	everyByte = 0x0101010101010101
	highBits  = 0x80 * everyByte
)

// canonicalString returns the position after the string from i on, or -1 if JSON would
// write the string in another way. high has the high bits of its bytes.
func canonicalString(text string, i int) (end int, high uint64) {
	bytes := unsafe.Slice(unsafe.StringData(text), len(text))
	for {
		for i+8 <= len(bytes) {
			eight := binary.LittleEndian.Uint64(bytes[i:])
			high |= eight
			if special := controls(eight) | zeroBytes(eight^'"'*everyByte) | zeroBytes(eight^'\\'*everyByte); special != 0 {
				i += bits.TrailingZeros64(special) >> 3
				break
			}
			i += 8
		}
		if i >= len(bytes) {
			return -1, high
		}
		switch c := bytes[i]; {
		case c == '"':
			return i + 1, high
		case c == '\\':
			n := canonicalEscape(text[i+1:])
			if n == 0 {
				return -1, high
			}
			i += 1 + n
		case c < ' ':
			return -1, high
		default:
			high |= uint64(c)
			i++
		}
	}
}

// controls marks the control characters among eight bytes. Only marks up to the first
// control character count.
func controls(eight uint64) uint64 { return (eight - ' '*everyByte) &^ eight & highBits }

// zeroBytes marks the zeros among eight bytes. Only marks up to the first zero count.
func zeroBytes(eight uint64) uint64 { return (eight - everyByte) &^ eight & highBits }

// canonicalEscape returns the length of an escape after its backslash, or 0 if JSON
// writes the character in another way.
func canonicalEscape(text string) int {
	if text == "" {
		return 0
	}
	switch text[0] {
	case '"', '\\', 'n', 't', 'r':
		return 1
	case 'u':
		if len(text) < 5 || text[1] != '0' || text[2] != '0' || text[3] != '0' && text[3] != '1' || strings.IndexByte(hexDigits, text[4]) < 0 {
			return 0
		}
		if text[3] == '0' && (text[4] == '9' || text[4] == 'a' || text[4] == 'd') {
			return 0 // tab, newline, return
		}
		return 5
	}
	return 0
}

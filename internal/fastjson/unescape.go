package fastjson

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// unescape resolves the escapes of a string. The first escape is at position at. Escapes
// unknown to JSON stay. The result has separate memory.
func unescape(s string, at int) string {
	b := make([]byte, 0, len(s))
	for {
		b = append(b, s[:at]...)
		if s = s[at+1:]; s == "" { // a lone backslash ends no string of a document
			break
		}
		c := s[0]
		s = s[1:]
		if plain := unescaped[c]; plain != 0 {
			b = append(b, plain)
		} else if c == 'u' {
			b, s = appendRune(b, s)
		} else {
			b = append(b, '\\', c)
		}
		if at = nextSlash(s); at < 0 {
			b = append(b, s...)
			break
		}
	}
	if cap(b) > len(b)+len(b)/8+32 {
		return string(b)
	}
	return toString(b)
}

// unescaped maps the letters of short escapes to their bytes.
var unescaped = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// nextSlash is strings.IndexByte for a backslash, which often comes soon.
func nextSlash(s string) int {
	for i := range min(len(s), 16) {
		if s[i] == '\\' {
			return i
		}
	}
	if len(s) <= 16 {
		return -1
	}
	if at := strings.IndexByte(s[16:], '\\'); at >= 0 {
		return at + 16
	}
	return -1
}

// appendRune appends the character of an escape \u, and returns the rest of s. s begins
// with the escape's digits. An escape without a character stays.
func appendRune(b []byte, s string) ([]byte, string) {
	first, ok := hex4(s)
	if !ok {
		return append(b, `\u`...), s
	}
	digits := s[:4]
	s = s[4:]
	if !utf16.IsSurrogate(first) {
		return utf8.AppendRune(b, first), s
	}
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return append(append(b, `\u`...), digits...), s
	}
	second, ok := hex4(s[2:])
	if !ok {
		return append(append(b, `\u`...), digits...), s
	}
	return utf8.AppendRune(b, utf16.DecodeRune(first, second)), s[6:]
}

func hex4(s string) (rune, bool) {
	if len(s) < 4 {
		return 0, false
	}
	n, err := strconv.ParseUint(s[:4], 16, 16)
	return rune(n), err == nil
}

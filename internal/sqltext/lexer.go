package sqltext

import (
	"strings"
	"unicode/utf8"
)

// First returns the first token of a text; an empty token for an empty text.
func First(text string) Token {
	if text == "" {
		return Token{}
	}
	kind, length, open := scan(text)
	return Token{Kind: kind, Text: text[:length], Open: open}
}

// scan scans the first token of s.
func scan(s string) (kind Kind, length int, open bool) {
	switch c := s[0]; {
	case spaceAt(s) > 0:
		return Space, spaces(s), false
	case strings.HasPrefix(s, "--"):
		length = lineComment(s)
		return Comment, length, length == len(s)
	case strings.HasPrefix(s, "/*"):
		length, open = blockComment(s)
		return Comment, length, open
	case c == '"':
		length, open = quoted(s, false)
		return Name, length, open
	case c == '\'':
		length, open = quoted(s, false)
		return String, length, open
	case len(s) > 1 && s[1] == '\'' && strings.IndexByte("eEnNxXbB", c) >= 0:
		length, open = quoted(s[1:], c == 'e' || c == 'E')
		return String, length + 1, open
	case c == '$':
		return dollar(s)
	case c == '?':
		return Parameter, 1 + digits(s[1:]), false
	case isDigit(c), c == '.' && len(s) > 1 && isDigit(s[1]):
		return Number, number(s), false
	case isLetter(c):
		return Word, word(s), false
	}
	return Sign, 1, false
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// isLetter reports whether a name may begin with byte c. All bytes of letters beyond
// ASCII count.
func isLetter(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= utf8.RuneSelf
}

// spaceAt returns the length of the space character at the beginning of s; 0 if s
// begins otherwise. DuckDB turns some Unicode spaces into plain spaces, and treats the
// rest as letters.
func spaceAt(s string) int {
	switch r, size := utf8.DecodeRuneInString(s); {
	case strings.ContainsRune(" \t\n\r\f", r),
		r >= 0x2000 && r <= 0x200b, strings.ContainsRune("\u00a0\u202f\u205f\u2060\u3000\ufeff", r):
		return size
	}
	return 0
}

func spaces(s string) (length int) {
	for n := spaceAt(s); n > 0; n = spaceAt(s[length:]) {
		length += n
	}
	return length
}

func lineComment(s string) int {
	if n := strings.IndexAny(s, "\r\n"); n >= 0 {
		return n
	}
	return len(s)
}

func blockComment(s string) (length int, open bool) {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch {
		case strings.HasPrefix(s[i:], "/*"):
			depth++
			i++
		case strings.HasPrefix(s[i:], "*/"):
			i++
			if depth--; depth == 0 {
				return i + 1, false
			}
		}
	}
	return len(s), true
}

// quoted scans the quoted text at the beginning of s. A doubled quote stands for
// itself. A backslash escapes in e'…' only.
func quoted(s string, escapes bool) (length int, open bool) {
	quote := s[0]
	for i := 1; i < len(s); i++ {
		switch {
		case escapes && s[i] == '\\':
			i++
		case s[i] != quote:
		case i+1 < len(s) && s[i+1] == quote:
			i++
		default:
			more := continued(s[i+1:])
			if quote != '\'' || more == 0 {
				return i + 1, false
			}
			i += more
		}
	}
	return len(s), true
}

// continued returns the length up to and including the quote that continues a string
// after its end. Between end and quote, DuckDB allows only space and -- comments, with
// at least one line's end. Returns 0 if the string isn't continued.
func continued(s string) int {
	newLine := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\'' && newLine:
			return i + 1
		case c == '\n' || c == '\r':
			newLine = true
		case c == ' ' || c == '\t' || c == '\f':
		case strings.HasPrefix(s[i:], "--"):
			i += lineComment(s[i:]) - 1
		default:
			return 0
		}
	}
	return 0
}

// dollar scans a string in dollar quotes, whose tag isn't a number, or a parameter.
func dollar(s string) (kind Kind, length int, open bool) {
	n := 1
	for n < len(s) && (isLetter(s[n]) || isDigit(s[n])) {
		n++
	}
	numbered := n > 1 && isDigit(s[1])
	switch {
	case numbered:
		return Parameter, 1 + digits(s[1:]), false
	case n < len(s) && s[n] == '$':
		end := strings.Index(s[n+1:], s[:n+1])
		if end < 0 {
			return Dollar, len(s), true
		}
		return Dollar, end + 2*(n+1), false
	case n == 1 && n < len(s) && s[n] == '"':
		length, open = quoted(s[1:], false)
		return Parameter, length + 1, open
	}
	return Parameter, n, false
}

// digits returns the number of bytes of digits at the beginning of s, with single
// underscores between digits.
func digits(s string) int {
	n := 0
	for n < len(s) && (isDigit(s[n]) || n > 0 && s[n] == '_' && n+1 < len(s) && isDigit(s[n+1])) {
		n++
	}
	return n
}

func number(s string) int {
	n := digits(s)
	if n < len(s) && s[n] == '.' && !strings.HasPrefix(s[n:], "..") {
		n++
		n += digits(s[n:])
	}
	if n < len(s) && (s[n] == 'e' || s[n] == 'E') {
		exponent := n + 1
		if exponent < len(s) && (s[exponent] == '+' || s[exponent] == '-') {
			exponent++
		}
		if more := digits(s[exponent:]); more > 0 {
			return exponent + more
		}
	}
	return n
}

// word returns the length of the name or keyword at the beginning of s.
func word(s string) int {
	n := 1
	for n < len(s) && (isLetter(s[n]) || isDigit(s[n]) || s[n] == '$') && (s[n] < utf8.RuneSelf || spaceAt(s[n:]) == 0) {
		n++
	}
	return n
}

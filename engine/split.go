package engine

import (
	"iter"
	"strings"
	"unicode/utf8"
)

// piece is one statement of a text.
type piece struct {
	text   string
	before string // what of the text comes before it
}

// placed is the statement behind as many empty lines and spaces as there is
// text before it, so that DuckDB counts the text's lines.
func (p piece) placed() string {
	lastLine := p.before[strings.LastIndexByte(p.before, '\n')+1:]
	return strings.Repeat("\n", strings.Count(p.before, "\n")) + strings.Repeat(" ", utf8.RuneCountInString(lastLine)) + p.text
}

// statements splits SQL text at the semicolons that end statements, as DuckDB
// does: not at those in strings, quoted names, dollar quotes and comments.
// Pieces that hold no more than comments and space are left out.
func statements(text string) []piece {
	list, rest, isCode := ended(text)
	if isCode {
		list = append(list, rest)
	}
	return list
}

// ended is the statements of a text that a semicolon ends, and what comes
// behind the last one; isCode says that this is more than comments and space.
func ended(text string) (list []piece, rest piece, isCode bool) {
	from := 0
	for i := 0; i < len(text); {
		n, code := token(text[i:])
		if text[i] == ';' {
			if isCode {
				list = append(list, piece{text[from:i], text[:from]})
			}
			from, isCode = i+1, false
		} else if code {
			isCode = true
		}
		i += n
	}
	return list, piece{text[from:], text[:from]}, isCode
}

// Split gives the statements of a text that a semicolon ends, without it, and
// what is still being written behind them: empty if that is only space and
// comments. Inside says that the text ends within a string, a quoted name or a
// comment.
func Split(text string) (done []string, rest string, inside bool) {
	list, last, isCode := ended(text)
	for _, p := range list {
		done = append(done, strings.TrimSpace(p.text))
	}
	if inside = endsInside(text); inside || isCode {
		rest = last.text
	}
	return done, rest, inside
}

// Placed is Split whose statements keep their places: each stands behind as many
// empty lines and spaces as there is text before it, so that an error counts the
// text's lines and columns.
func Placed(text string) (done []string, rest string, inside bool) {
	list, _, _ := ended(text)
	for _, p := range list {
		done = append(done, p.placed())
	}
	_, rest, inside = Split(text)
	return done, rest, inside
}

// Tokens gives all of a text in pieces, as SQL has them: a word, a number's digits,
// a string, a quoted name, a comment, a sign or a character of space. The last one
// may lack its end.
func Tokens(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for text != "" {
			n, _ := token(text)
			if !yield(text[:n]) {
				return
			}
			text = text[n:]
		}
	}
}

// Backslash is where in a text, in bytes, the first backslash stands outside
// strings, quoted names and comments; -1 where there is none. No SQL has one
// there: what it begins is a command of the face that reads the text.
func Backslash(text string) int {
	for i := 0; i < len(text); {
		if text[i] == '\\' {
			return i
		}
		n, _ := token(text[i:])
		i += n
	}
	return -1
}

// endsInside says that one character more would belong to the last token.
func endsInside(text string) bool {
	longer, i := text+";", 0
	for i < len(text) {
		n, _ := token(longer[i:])
		i += n
	}
	return i > len(text)
}

// token is the length of the string, comment or character that s begins with,
// and whether it is more than space or comment.
func token(s string) (length int, isCode bool) {
	switch c := s[0]; {
	case c == ' ' || c == '\t' || c == '\n' || c == '\r':
		return 1, false
	case strings.HasPrefix(s, "--"):
		return through(s, 2, "\n"), false
	case strings.HasPrefix(s, "/*"):
		return blockComment(s), false
	case c == '\'' || c == '"':
		return quoted(s, c, false), true
	case (c == 'e' || c == 'E') && len(s) > 1 && s[1] == '\'':
		return 1 + quoted(s[1:], '\'', true), true
	case c == '$':
		return dollarQuoted(s), true
	case isWord(c):
		n := 1
		for n < len(s) && isWord(s[n]) {
			n++
		}
		return n, true
	}
	return 1, true
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// through is the length of s up to and with end, looked for behind from.
func through(s string, from int, end string) int {
	if i := strings.Index(s[from:], end); i >= 0 {
		return from + i + len(end)
	}
	return len(s)
}

func blockComment(s string) int {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch {
		case strings.HasPrefix(s[i:], "/*"):
			depth++
			i++
		case strings.HasPrefix(s[i:], "*/"):
			i++
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(s)
}

// quoted: a doubled quote stands for itself; a backslash escapes in E'…' only.
func quoted(s string, q byte, escapes bool) int {
	for i := 1; i < len(s); i++ {
		switch {
		case escapes && s[i] == '\\':
			i++
		case s[i] == q && i+1 < len(s) && s[i+1] == q:
			i++
		case s[i] == q:
			return i + 1
		}
	}
	return len(s)
}

// dollarQuoted is the length of $tag$…$tag$; 1 for a parameter's dollar.
func dollarQuoted(s string) int {
	n := 1
	for n < len(s) && isWord(s[n]) {
		n++
	}
	if n == len(s) || s[n] != '$' || n > 1 && s[1] >= '0' && s[1] <= '9' {
		return 1
	}
	return through(s, n+1, s[:n+1])
}

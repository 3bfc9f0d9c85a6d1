// Package sqltext reads SQL as tokens, like DuckDB's lexer, and parses no further: it
// finds the ends of statements, their words and their parameters. Comments nest, a name
// may hold letters of any script and a dollar, and a string may continue after a line's
// end.
package sqltext

import (
	"iter"
	"slices"
	"strings"
)

// Kind is the kind of a token.
type Kind uint8

// Kinds of tokens.
const (
	Space     Kind = iota // a run of space
	Comment               // -- … without the line's end, or /* … */
	Word                  // a keyword or a name
	Number                // 1, 1_000, .5, 1.5e-3
	String                // '…', e'…', maybe in several parts
	Name                  // "…"
	Dollar                // $$…$$, $tag$…$tag$
	Parameter             // $name, $"name", $1, ?, ?1; a $ alone
	Sign                  // a character; operators of several characters are several signs
)

// Token is a piece of a text.
type Token struct {
	Kind Kind
	Text string
	At   int  // position in the text, in bytes
	Open bool // the text ends inside the token, so further text would belong to the token
}

// End returns the position after the token, in bytes.
func (t Token) End() int { return t.At + len(t.Text) }

// IsCode reports whether the token is neither space nor comment.
func (t Token) IsCode() bool { return t.Kind != Space && t.Kind != Comment }

// Word returns a word in small letters, or a sign; empty for any other token.
func (t Token) Word() string {
	if t.Kind != Word && t.Kind != Sign {
		return ""
	}
	return strings.ToLower(t.Text)
}

// Name returns the name of a word or quoted name in small letters, because DuckDB
// ignores case; empty for any other token.
func (t Token) Name() string {
	switch t.Kind {
	case Word:
		return strings.ToLower(t.Text)
	case Name:
		return strings.ToLower(t.unquoted(t.Text))
	}
	return ""
}

// Parameter returns the name of a parameter as written; empty for ? and $1, and for any
// other token.
func (t Token) Parameter() string {
	switch {
	case t.Kind != Parameter || len(t.Text) == 1 || isDigit(t.Text[1]):
		return ""
	case t.Text[1] == '"':
		return t.unquoted(t.Text[1:])
	}
	return t.Text[1:]
}

func (t Token) unquoted(text string) string {
	text = text[1:]
	if !t.Open {
		text = text[:len(text)-1]
	}
	return strings.ReplaceAll(text, `""`, `"`)
}

// Tokens splits a text into tokens that cover every byte.
func Tokens(text string) iter.Seq[Token] {
	return func(yield func(Token) bool) {
		for at := 0; at < len(text); {
			t := First(text[at:])
			t.At = at
			if !yield(t) {
				return
			}
			at = t.End()
		}
	}
}

// Backslash returns the position, in bytes, of the first backslash outside strings,
// quoted names and comments; -1 if the text has none. Valid SQL has no backslash there:
// it begins a command of the face that reads the text.
func Backslash(text string) int {
	for t := range Tokens(text) {
		if t.Text == `\` {
			return t.At
		}
	}
	return -1
}

// Parameters returns the names of a text's parameters, each once, in order. An empty
// name stands for ? and $1.
func Parameters(text string) (names []string) {
	for t := range Tokens(text) {
		if t.Kind == Parameter && !slices.Contains(names, t.Parameter()) {
			names = append(names, t.Parameter())
		}
	}
	return names
}

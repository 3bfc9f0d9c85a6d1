// Package sqltext reads SQL as tokens, as DuckDB's lexer does, and understands no
// more of it: where a statement ends, which words stand in it, which parameters it
// names. Comments nest, a name may hold letters of any script and a dollar, a string
// goes on behind a line's end.
package sqltext

import (
	"iter"
	"slices"
	"strings"
)

// Kind is what a token is.
type Kind uint8

// Kinds of tokens.
const (
	Space     Kind = iota // as much as stands together
	Comment               // -- … without the line's end, or /* … */
	Word                  // a keyword or a name
	Number                // 1, 1_000, .5, 1.5e-3
	String                // '…', e'…', also of several parts
	Name                  // "…"
	Dollar                // $$…$$, $tag$…$tag$
	Parameter             // $name, $"name", $1, ?, ?1; a $ alone
	Sign                  // one character; an operator of several is several
)

// Token is a piece of a text.
type Token struct {
	Kind Kind
	Text string
	At   int  // where it begins, in bytes
	Open bool // the text ends in it: what stood behind would belong to it
}

// End is where the token ends, in bytes.
func (t Token) End() int { return t.At + len(t.Text) }

// IsCode says that the token is neither space nor comment.
func (t Token) IsCode() bool { return t.Kind != Space && t.Kind != Comment }

// Word is a word in small letters, or a sign; empty for any other token.
func (t Token) Word() string {
	if t.Kind != Word && t.Kind != Sign {
		return ""
	}
	return strings.ToLower(t.Text)
}

// Name is the name that a word or a quoted name is, in small letters, because
// DuckDB takes either case; empty for any other token.
func (t Token) Name() string {
	switch t.Kind {
	case Word:
		return strings.ToLower(t.Text)
	case Name:
		return strings.ToLower(t.unquoted(t.Text))
	}
	return ""
}

// Parameter is the name of a parameter as it is written; empty for ? and $1, and
// for any other token.
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

// Tokens gives a text in tokens, every byte of it.
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

// Backslash is where in a text, in bytes, the first backslash stands outside
// strings, quoted names and comments; -1 where there is none. No SQL has one
// there: what it begins is a command of the face that reads the text.
func Backslash(text string) int {
	for t := range Tokens(text) {
		if t.Text == `\` {
			return t.At
		}
	}
	return -1
}

// Parameters lists the names of the parameters that a text names, each once, in
// the order of the text; an empty name stands for ? and $1.
func Parameters(text string) (names []string) {
	for t := range Tokens(text) {
		if t.Kind == Parameter && !slices.Contains(names, t.Parameter()) {
			names = append(names, t.Parameter())
		}
	}
	return names
}

// Package sqltext reads SQL as tokens, like DuckDB's lexer, and parses no further: it
// finds the ends of statements, their words and their parameters. Comments nest, a name
// may hold letters of any script and a dollar, and a string may continue after a line's
// end.
package sqltext

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"hindsql/internal/lists"
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

// Statement is a statement of a text.
type Statement struct {
	Text   string // without the final semicolon
	Before string // the text before the statement
}

// Placed returns the statement after as many empty lines and spaces as needed to keep
// its line and column in DuckDB's messages.
func (s Statement) Placed() string {
	lastLine := s.Before[strings.LastIndexByte(s.Before, '\n')+1:]
	return strings.Repeat("\n", strings.Count(s.Before, "\n")) + strings.Repeat(" ", utf8.RuneCountInString(lastLine)) + s.Text
}

// Rest is the text after the last semicolon.
type Rest struct {
	Statement
	IsCode bool // true if Text has more than space and comments
	Open   bool // true if Text ends in a string, a quoted name or a comment
}

// Split splits a text at the semicolons that end statements, as DuckDB does, ignoring
// semicolons in strings, quoted names and comments. Statements of only space and
// comments are left out.
func Split(text string) (ended []Statement, rest Rest) {
	for t := range Tokens(text) {
		if t.Text != ";" {
			rest.IsCode = rest.IsCode || t.IsCode()
			rest.Open = t.Open
			continue
		}
		if from := len(rest.Before); rest.IsCode {
			ended = append(ended, Statement{text[from:t.At], text[:from]})
		}
		rest = Rest{Statement: Statement{Before: text[:t.End()]}}
	}
	rest.Text = text[len(rest.Before):]
	return ended, rest
}

// Statements returns the statements of a text. The last statement needs no semicolon.
func Statements(text string) []Statement {
	list, rest := Split(text)
	if rest.IsCode {
		list = append(list, rest.Statement)
	}
	return list
}

// Code is a text's tokens without space and comments.
type Code []Token

// CodeOf returns the code of a text.
func CodeOf(text string) (code Code) {
	for t := range Tokens(text) {
		if t.IsCode() {
			code = append(code, t)
		}
	}
	return code
}

// At returns the token at index i; an empty token if i is out of range.
func (c Code) At(i int) Token {
	if i < 0 || i >= len(c) {
		return Token{}
	}
	return c[i]
}

// Last returns the last token; an empty token if c is empty.
func (c Code) Last() Token { return c.At(len(c) - 1) }

// Skip removes words and signs, given in small letters, from the beginning. If c begins
// otherwise, Skip removes no words and returns false.
func (c *Code) Skip(words ...string) bool {
	begins := len(words) <= len(*c) && same((*c)[:len(words)], words)
	if begins {
		*c = (*c)[len(words):]
	}
	return begins
}

// Drop removes words and signs, given in small letters, from the end. If c ends
// otherwise, Drop removes no words and returns false.
func (c *Code) Drop(words ...string) bool {
	from := len(*c) - len(words)
	ends := from >= 0 && same((*c)[from:], words)
	if ends {
		*c = (*c)[:from]
	}
	return ends
}

// ClosingBracket returns the index of the bracket that closes the bracket at index i; -1 if
// the code has no closing bracket yet.
func (c Code) ClosingBracket(i int) int {
	depth := 0
	for ; i < len(c); i++ {
		switch c[i].Word() {
		case "(":
			depth++
		case ")":
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

func same(code Code, words []string) bool {
	return slices.EqualFunc(code, words, func(t Token, word string) bool { return t.Word() == word })
}

// Head returns a statement's first word in small letters, after space, comments and
// opening brackets; empty if the statement begins with no word.
func Head(statement string) string {
	for t := range Tokens(statement) {
		if word := t.Word(); t.IsCode() && word != "(" {
			return word
		}
	}
	return ""
}

// WordSet returns the set of the words in a list, which are separated by white space.
func WordSet(list string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(list) {
		set[word] = true
	}
	return set
}

// Literal returns a text as an SQL string. A NUL, which would end DuckDB's parser, is
// inserted as chr(0).
func Literal(text string) string {
	quoted := "'" + strings.ReplaceAll(text, "'", "''") + "'"
	if strings.Contains(text, "\x00") {
		return "(" + strings.ReplaceAll(quoted, "\x00", "' || chr(0) || '") + ")"
	}
	return quoted
}

// Subquery returns a statement in brackets, without the semicolon at its end.
func Subquery(statement string) string {
	return "(\n" + strings.TrimRight(statement, "; \t\r\n") + "\n)"
}

// Literals returns texts as SQL strings with commas between them.
func Literals(texts []string) string {
	return lists.Join(texts, ", ", Literal)
}

// Identifier returns a name in quotes, valid in SQL for any name.
func Identifier(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// Timestamp returns the SQL of a moment.
func Timestamp(t time.Time) string {
	return Literal(t.UTC().Format("2006-01-02 15:04:05.000000+00")) + "::TIMESTAMPTZ"
}

// Numbers returns a list of numbers, each in a format such as "%d" or "(%d)".
func Numbers(list []int64, format string) string {
	return lists.Join(list, ", ", func(n int64) string { return fmt.Sprintf(format, n) })
}

// Hash returns the SQL of a hash of columns.
func Hash(columns []string) string {
	return "hash(" + lists.Join(columns, ", ", Identifier) + ")"
}

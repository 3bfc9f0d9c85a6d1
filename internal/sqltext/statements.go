package sqltext

import (
	"strings"
	"unicode/utf8"
)

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

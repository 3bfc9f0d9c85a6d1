package sqltext

import (
	"strings"
	"unicode/utf8"
)

// Statement is one of a text.
type Statement struct {
	Text   string // without the semicolon that ends it
	Before string // what of the text comes before it
}

// Placed is the statement behind as many empty lines and spaces as there is text
// before it, so that DuckDB counts the text's lines and columns.
func (s Statement) Placed() string {
	lastLine := s.Before[strings.LastIndexByte(s.Before, '\n')+1:]
	return strings.Repeat("\n", strings.Count(s.Before, "\n")) + strings.Repeat(" ", utf8.RuneCountInString(lastLine)) + s.Text
}

// Rest is what a text ends with, behind its last semicolon.
type Rest struct {
	Statement
	IsCode bool // it is more than space and comments
	Open   bool // it ends in a string, a quoted name or a comment
}

// Split parts a text at the semicolons that end statements, as DuckDB does: not at
// those in strings, quoted names and comments. Statements that hold no more than
// space and comments are left out.
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

// Statements are those of a text, also the last one, which needs no semicolon.
func Statements(text string) []Statement {
	list, rest := Split(text)
	if rest.IsCode {
		list = append(list, rest.Statement)
	}
	return list
}

package sqltext

import "slices"

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

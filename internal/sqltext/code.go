package sqltext

import "slices"

// Code is a text's tokens without space and comments.
type Code []Token

// CodeOf is the code of a text.
func CodeOf(text string) (code Code) {
	for t := range Tokens(text) {
		if t.IsCode() {
			code = append(code, t)
		}
	}
	return code
}

// At is the token at a place; an empty one where there is none.
func (c Code) At(i int) Token {
	if i < 0 || i >= len(c) {
		return Token{}
	}
	return c[i]
}

// Last is the last token; an empty one where there is none.
func (c Code) Last() Token { return c.At(len(c) - 1) }

// Skip takes words and signs, given in small letters, off the beginning: all of
// them, or none where it begins otherwise.
func (c *Code) Skip(words ...string) bool {
	begins := len(words) <= len(*c) && same((*c)[:len(words)], words)
	if begins {
		*c = (*c)[len(words):]
	}
	return begins
}

// Drop takes words and signs, given in small letters, off the end: all of them, or
// none where it ends otherwise.
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

// Head is the word that a statement begins with, in small letters, behind space,
// comments and opening brackets; empty where it begins with none.
func Head(statement string) string {
	for t := range Tokens(statement) {
		if word := t.Word(); t.IsCode() && word != "(" {
			return word
		}
	}
	return ""
}

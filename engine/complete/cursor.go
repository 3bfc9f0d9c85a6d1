package complete

import (
	"slices"
	"strings"

	"hindsql/internal/sqltext"
)

// cursor is the place where a text ends, and a word is typed.
type cursor struct {
	code    sqltext.Code  // before the word
	touched sqltext.Token // right before the word: also space, a comment
	word    string        // as much of it as is typed
}

func cursorAt(text string) cursor {
	var c cursor
	all := slices.Collect(sqltext.Tokens(text))
	if last := len(all) - 1; last >= 0 && all[last].Kind == sqltext.Word {
		c.word, all = all[last].Text, all[:last]
	}
	for _, t := range all {
		if c.touched = t; t.IsCode() {
			c.code = append(c.code, t)
		}
	}
	return c
}

// afterFrom says that a table is named here.
func (c cursor) afterFrom() bool {
	return !c.touched.Open && slices.Contains([]string{"from", "join"}, c.code.Last().Word())
}

// startsName says that a name stands or begins here, and nothing of it before.
func (c cursor) startsName() bool {
	if c.touched.IsCode() {
		return len(c.touched.Text) == 1 && strings.Contains("(,=<>+*/-", c.touched.Text)
	}
	return !c.touched.Open
}

// owner is the table or alias, in small letters, of which a column is named here;
// empty where none is said.
func (c cursor) owner() string {
	code := c.code
	if c.touched.Text != "." || !code.Drop(".") {
		return ""
	}
	return code.Last().Name()
}

// openString is where the string begins in which the text ends, with its quote; -1
// where it ends in none. Right behind a string's end it is in the string still:
// one more quote would go on with it.
func (c cursor) openString() int {
	if c.word == "" && c.touched.Kind == sqltext.String && c.touched.Text[0] == '\'' {
		return c.touched.At
	}
	return -1
}

package complete

import (
	"slices"
	"strings"

	"hindsql/internal/sqltext"
)

// cursor is the end of a text, where a word is typed.
type cursor struct {
	code    sqltext.Code  // before the word
	touched sqltext.Token // token right before the word: also space, a comment
	word    string        // the typed part of the word
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

// afterFrom reports whether a table's name is expected.
func (c cursor) afterFrom() bool {
	return !c.touched.Open && slices.Contains([]string{"from", "join"}, c.code.Last().Word())
}

// startsName reports whether a name may begin with the word at the cursor.
func (c cursor) startsName() bool {
	if c.touched.IsCode() {
		return len(c.touched.Text) == 1 && strings.Contains("(,=<>+*/-", c.touched.Text)
	}
	return !c.touched.Open
}

// owner returns the table or alias before a point at the cursor, in small letters;
// empty if the cursor follows no point.
func (c cursor) owner() string {
	code := c.code
	if c.touched.Text != "." || !code.Drop(".") {
		return ""
	}
	return code.Last().Name()
}

// unknownOwner reports whether the owner may be an alias whose table isn't typed yet: it
// follows no other point, and isn't the beginning of a table's name after FROM.
func (c cursor) unknownOwner() bool {
	before := c.code.At(len(c.code) - 3).Word()
	return c.owner() != "" && !slices.Contains(schemas, c.owner()) && !slices.Contains([]string{".", "from", "join"}, before)
}

// openString returns the position of the opening quote if the text ends in a string,
// otherwise -1. A text that ends right after a closing quote also ends in the string:
// one more quote would continue the string.
func (c cursor) openString() int {
	if c.word == "" && c.touched.Kind == sqltext.String && c.touched.Text[0] == '\'' {
		return c.touched.At
	}
	return -1
}

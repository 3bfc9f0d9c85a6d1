package engine_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hindsql/engine"
)

func TestErrorsNameThePlaceAndWhatToDo(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	s := h.Open()
	for name, c := range map[string]struct {
		text string
		want engine.Error
	}{
		"syntax": {"SELEC 1", engine.Error{
			Kind: "parser", Message: `syntax error at or near "SELEC"`, Snippet: "LINE 1: SELEC 1\n        ^", Line: 1, Column: 1}},
		"no place": {"SELECT 1 +", engine.Error{
			Kind: "parser", Message: "syntax error at end of input"}},
		"table": {"SELECT * FROM message", engine.Error{
			Kind: "catalog", Missing: engine.MissingTable, Message: "Table with name message does not exist!", Hint: `Did you mean "messages"?`,
			Snippet: "LINE 1: SELECT * FROM message\n                      ^", Line: 1, Column: 15}},
		"second statement, third line": {"SELECT 1;\n\nSELECT  nope  FROM (SELECT 1 AS a)", engine.Error{
			Kind: "binder", Missing: engine.MissingColumn, Message: `Referenced column "nope" not found in FROM clause!`, Hint: `Candidate bindings: "a"`,
			Snippet: "LINE 3: SELECT  nope  FROM (SELECT 1 AS a)\n                ^", Line: 3, Column: 9}},
		"second statement of one line": {"SELECT 'ü'; SELEC 2", engine.Error{
			Kind: "parser", Message: `syntax error at or near "SELEC"`, Snippet: "LINE 1:             SELEC 2\n                    ^", Line: 1, Column: 13}},
		"beyond ASCII": {"SELECT 'äöü', nope FROM (SELECT 1 AS a)", engine.Error{
			Kind: "binder", Missing: engine.MissingColumn, Message: `Referenced column "nope" not found in FROM clause!`, Hint: `Candidate bindings: "a"`,
			Snippet: "LINE 1: SELECT 'äöü', nope FROM (SELECT 1 AS a)\n                      ^", Line: 1, Column: 15}},
		"value": {"SELECT CAST('x' AS INTEGER)", engine.Error{
			Kind: "conversion", Message: "Could not convert string 'x' to INT32",
			Snippet: "LINE 1: SELECT CAST('x' AS INTEGER)\n               ^", Line: 1, Column: 8}},
		"while it runs": {"SELECT error('a' || x) FROM range(1) t(x)", engine.Error{
			Kind: "invalid input", Message: "a0"}},
	} {
		_, err := tryRows(s, c.text, nil)
		var got *engine.Error
		if !errors.As(err, &got) {
			t.Errorf("%s: %v is no *Error", name, err)
			continue
		}
		if diff := cmp.Diff(&c.want, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}
	}
}

func TestErrorsOfLongLinesShowTheirEnd(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	_, err := tryRows(h.Open(), "SELECT '"+strings.Repeat("a", 200)+"', nope FROM messages", nil)
	var got *engine.Error
	if !errors.As(err, &got) || got.Line != 1 || got.Column != 0 || !strings.HasPrefix(got.Snippet, "LINE 1: ...aaa") {
		t.Errorf("%#v", got)
	}
	snippet, caret, _ := strings.Cut(got.Snippet, "\n")
	if at := len(caret) - 1; !strings.HasPrefix(snippet[at:], "nope") {
		t.Errorf("the caret is not at the name:\n%s", got.Snippet)
	}
}

func TestErrorIsLines(t *testing.T) {
	t.Parallel()
	e := &engine.Error{Kind: "binder", Message: "no", Snippet: "LINE 1: x\n        ^", Hint: "do"}
	if want := "binder error: no\nLINE 1: x\n        ^\ndo"; e.Error() != want {
		t.Errorf("got %q, want %q", e.Error(), want)
	}
}

func TestOpenRefusesAnUnknownTimeZone(t *testing.T) {
	t.Parallel()
	c := newHome(t).Config()
	c.Timezone = "Nowhere/Town"
	if _, err := engine.Open(context.Background(), c); err == nil || !strings.Contains(err.Error(), "Nowhere/Town") {
		t.Errorf("got %v", err)
	}
}

// TestErrorsShowTheUsersWords: an error shows the user's words, not the words that ran.
func TestErrorsShowTheUsersWords(t *testing.T) {
	t.Parallel()
	const ran = "LINE 3: ü = CAST($a AS DATE) AND CAST($b AS BIGINT) = nope"
	for place, want := range map[string]string{"nope": "nope", "ü": "ü", "AND": "AND", "$b": "$b = ", "CAST($b": "$b = "} {
		at := len([]rune(ran[:strings.Index(ran, place)]))
		e := &engine.Error{Snippet: ran + "\n" + strings.Repeat(" ", at) + "^", Line: 3, Column: at - 7}
		e.Restore(map[string]string{"CAST($a AS DATE)": "$a", "CAST($b AS BIGINT)": "$b"})
		line, caret, _ := strings.Cut(e.Snippet, "\n")
		if got := string([]rune(line)[len(caret)-1:]); line != "LINE 3: ü = $a AND $b = nope" || !strings.HasPrefix(got, want) || e.Column != len(caret)-8 {
			t.Errorf("%s: column %d of\n%s", place, e.Column, e.Snippet)
		}
	}
}

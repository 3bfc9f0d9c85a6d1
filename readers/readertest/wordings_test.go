package readertest

import (
	"go/parser"
	"regexp"
	"slices"
	"strconv"
	"testing"
)

// TestSentences: a pattern gives a matching text for each alternative.
func TestSentences(t *testing.T) {
	for expression, want := range map[string][]string{
		`"one word"`:      {"one word"},
		`"one " + "word"`: {"one word"},
		`"word"`:          nil,
		"`^(Error: )?The \\w+ of (up|down) said .{1,9} no$`": {"The a of up said x no", "The a of down said x no"},
		"`^[^a-z]now and ` + `(then){2}`":                    {"1now and thenthen"},
	} {
		e, err := parser.ParseExpr(expression)
		if err != nil {
			t.Fatal(err)
		}
		text, pattern, ok := textOf(e)
		got := sentences(text, pattern)
		if !ok || !slices.Equal(got, want) {
			t.Errorf("%s: %q", expression, got)
		}
		for _, s := range got {
			if pattern && !regexp.MustCompile(text).MatchString(s) {
				t.Errorf("%s does not match %s", text, strconv.Quote(s))
			}
		}
	}
}

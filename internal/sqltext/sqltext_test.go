package sqltext_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hindsql/internal/sqltext"
)

// kinds holds the letters for kinds of tokens in tests. Open tokens have an added +.
var kinds = map[sqltext.Kind]string{
	sqltext.Space: "_", sqltext.Comment: "c", sqltext.Word: "w", sqltext.Number: "n", sqltext.String: "s",
	sqltext.Name: "q", sqltext.Dollar: "d", sqltext.Parameter: "p", sqltext.Sign: ".",
}

func TestTokens(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                         "",
		" \t\r\n\f":                "_: \t\r\n\f",
		"a\u00a0b\u3000\ufeffc":    "w:a|_:\u00a0|w:b|_:\u3000\ufeff|w:c",
		"a\u200b\u2028b":           "w:a|_:\u200b|w:\u2028b",
		"a\vb":                     "w:a|.:\v|w:b",
		"SELECT 1":                 "w:SELECT|_: |n:1",
		"日本.ü_1":                   "w:日本|.:.|w:ü_1",
		"a\xffb":                   "w:a\xffb",
		"a$b a$$ 1$":               "w:a$b|_: |w:a$$|_: |n:1|p:$",
		"a -- b\n-- c\r--":         "w:a|_: |c:-- b|_:\n|c:-- c|_:\r|c+:--",
		"/* a /* b */ c */d":       "c:/* a /* b */ c */|w:d",
		"/*/*/ */ */d /***/":       "c:/*/*/ */ */|w:d|_: |c:/***/",
		"/* a /* b */":             "c+:/* a /* b */",
		"1*/*a*/2//**/3":           "n:1|.:*|c:/*a*/|n:2|.:/|c:/**/|n:3",
		"1-2 - --3":                "n:1|.:-|n:2|_: |.:-|_: |c+:--3",
		"1_000.5e-1_0x":            "n:1_000.5e-1_0|w:x",
		"1_ 1__0 0x1f":             "n:1|w:_|_: |n:1|w:__0|_: |n:0|w:x1f",
		".5 1. 1.a 1.e 1e 1e+":     "n:.5|_: |n:1.|_: |n:1.|w:a|_: |n:1.|w:e|_: |n:1|w:e|_: |n:1|w:e|.:+",
		"1..2 1.5.5 t.5":           "n:1|.:.|n:.2|_: |n:1.5|n:.5|_: |w:t|n:.5",
		"'it''s' '' 'a\\' 'b":      `s:'it''s'|_: |s:''|_: |s:'a\'|_: |s+:'b`,
		`e'a\'b''c' E'\\' e 'd\'`:  `s:e'a\'b''c'|_: |s:E'\\'|_: |w:e|_: |s:'d\'`,
		`type'a' 1e'\'' _e'\'`:     `w:type|s:'a'|_: |n:1|s:e'\''|_: |w:_e|s:'\'`,
		"x'41' b'01' n'a' a'a'":    "s:x'41'|_: |s:b'01'|_: |s:n'a'|_: |w:a|s:'a'",
		"e'a'\n\n--x\n 'b\\''":     "s:e'a'\n\n--x\n 'b\\''",
		"'a' 'b' /**/\n'c'":        "s:'a'|_: |s:'b'|_: |c:/**/|_:\n|s:'c'",
		"'a' --x\r'b':'c'\n\"d\"":  "s:'a' --x\r'b'|.::|s:'c'|_:\n|q:\"d\"",
		`"a""b".c "d;`:             `q:"a""b"|.:.|w:c|_: |q+:"d;`,
		"$$a$b$$ $a$ $$ $a$":       "d:$$a$b$$|_: |d:$a$ $$ $a$",
		"$ü_1$x$ü_1$ $A$a$a$":      "d:$ü_1$x$ü_1$|_: |d+:$A$a$a$",
		"$a, $_b1 $ü $1a $12":      "p:$a|.:,|_: |p:$_b1|_: |p:$ü|_: |p:$1|w:a|_: |p:$12",
		"$1$x$1$x$":                "p:$1|d:$x$1$x$",
		`? ?1 ?a $"a b" $"c $ d`:   `p:?|_: |p:?1|_: |p:?|w:a|_: |p:$"a b"|_: |p+:$"c $ d`,
		`a->>'b' \x ::[1:2] <> !=`: `w:a|.:-|.:>|.:>|s:'b'|_: |.:\|w:x|_: |.::|.::|.:[|n:1|.::|n:2|.:]|_: |.:<|.:>|_: |.:!|.:=`,
	} {
		var got []string
		for token := range sqltext.Tokens(text) {
			open := ""
			if token.Open {
				open = "+"
			}
			got = append(got, kinds[token.Kind]+open+":"+token.Text)
			if text[token.At:token.End()] != token.Text {
				t.Errorf("%q: %q doesn't stand at %d", text, token.Text, token.At)
			}
		}
		if diff := cmp.Diff(want, strings.Join(got, "|")); diff != "" {
			t.Errorf("%q: (-want +got)\n%s", text, diff)
		}
	}
}

// FuzzTokens checks that the tokens of any text join to the text, and that only the
// last token can be open.
func FuzzTokens(f *testing.F) {
	for _, text := range []string{"SELECT ';'; -- x\nSELECT $a$;$a$ /* ; */", "e'\\", "$\"a", "'a'\n--", "\u00a0$\u00a0", ".5.e+"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		joined := ""
		for token := range sqltext.Tokens(text) {
			if token.Text == "" || token.At != len(joined) || token.Open && token.End() != len(text) {
				t.Fatalf("%q: wrong token %+v", text, token)
			}
			joined += token.Text
			_, _, _ = token.Word(), token.Name(), token.Parameter()
		}
		if joined != text {
			t.Errorf("%q: the tokens are %q", text, joined)
		}
	})
}

func TestNames(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][3]string{
		"":          {},
		"From":      {"from", "from", ""},
		"ÜBER":      {"über", "über", ""},
		`"From"`:    {"", "from", ""},
		`"a""B`:     {"", `a"b`, ""},
		`"`:         {},
		";":         {";", "", ""},
		"12":        {},
		"'A'":       {},
		"-- a":      {},
		"$Agent":    {"", "", "Agent"},
		`$"a ""b"`:  {"", "", `a "b`},
		`$"`:        {},
		"$":         {},
		"$1":        {},
		"?":         {},
		"?1":        {},
		"$a$ b $a$": {},
	} {
		token := sqltext.First(text)
		if got := [3]string{token.Word(), token.Name(), token.Parameter()}; got != want || token.Text != text {
			t.Errorf("%q: word, name and parameter %q, want %q", text, got, want)
		}
	}
}

func TestParameters(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"SELECT 1":                               nil,
		"SELECT $b, $a, $b || '$c' -- $d\n":      {"b", "a"},
		"SELECT /* /* $a */ $b */ $c, a$d":       {"c"},
		"SELECT $x$ $a $x$, $$ $b $$, \"$c\"":    {},
		"SELECT ?, $1, $a_1, $ü, e'\\'$b', $\"c": {"", "a_1", "ü", "c"},
	} {
		if got := sqltext.Parameters(text); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestBackslash(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"":                         -1,
		`SELECT 1 \g`:              9,
		`SELECT '\', "\" /*\*/ \g`: 22,
		`SELECT e'\' \g`:           -1,
		"SELECT $$\\$$ -- \\\n":    -1,
		`\d`:                       0,
	} {
		if got := sqltext.Backslash(text); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

func TestCode(t *testing.T) {
	t.Parallel()
	code := sqltext.CodeOf("/* a */ Create or -- b\n REPLACE Table \"or\" IS Not distinct FROM")
	for _, step := range []struct {
		take  func(...string) bool
		words []string
		want  bool
	}{
		{code.Skip, []string{"replace"}, false},
		{code.Skip, []string{"create"}, true},
		{code.Skip, []string{"or", "table"}, false},
		{code.Skip, []string{"or", "replace"}, true},
		{code.Skip, []string{"table"}, true},
		{code.Skip, []string{"or"}, false}, // a name
		{code.Drop, []string{"is", "distinct", "from"}, false},
		{code.Drop, []string{"distinct", "from"}, true},
		{code.Drop, []string{"not"}, true},
		{code.Drop, []string{"x", "or", "is"}, false},
		{code.Skip, []string{"or", "is", "x"}, false},
	} {
		if got := step.take(step.words...); got != step.want {
			t.Errorf("%q: %v, want %v", step.words, got, step.want)
		}
	}
	if len(code) != 2 || code.Last().Word() != "is" || code.At(0).Name() != "or" || code.At(2) != (sqltext.Token{}) || code.At(-1) != (sqltext.Token{}) {
		t.Errorf("left: %+v", code)
	}
}

func TestHead(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                       "",
		"SELECT 1":                               "select",
		" -- WITH\n/* a /* b */ FROM */ ( (From": "from",
		"-- only":                                "",
		"FROM'a.csv'":                            "from",
		"SELECT1":                                "select1",
		"selecté":                                "selecté",
		`"select" 1`:                             "",
		"'select'":                               "",
	} {
		if got := sqltext.Head(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestQuoting(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][2]string{
		"":         {"''", `""`},
		`it's "a"`: {`'it''s "a"'`, `"it's ""a"""`},
		"a\x00'b":  {"('a' || chr(0) || '''b')", "\"a\x00'b\""},
	} {
		if got := [2]string{sqltext.Literal(text), sqltext.Identifier(text)}; got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

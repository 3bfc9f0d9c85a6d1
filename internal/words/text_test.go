package words_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"hindsql/internal/words"
)

func TestCut(t *testing.T) {
	told := func(text string, most int, room words.Room) string {
		short, cut := words.CutCounted(text, most, room)
		if cut != (short != text) {
			t.Errorf("%q in %d is cut: %t, and becomes %q", text, most, cut, short)
		}
		return short
	}
	for _, test := range []struct{ got, want string }{
		{words.Cut("", 3), ""}, {words.Cut("abc", 3), "abc"}, {words.Cut("abcd", 3), "ab…"}, {words.Cut("äöüß", 3), "äö…"}, {words.Cut("äöü", 3), "äöü"}, {words.Cut("abc", 1), "…"}, {words.Cut("abc", 0), "…"},
		{words.CutTo("äöü", 6, words.Bytes), "äöü"}, {words.CutTo("äöü", 5, words.Bytes), "äö…"}, {words.CutTo("äöü", 4, words.Bytes), "ä…"}, {words.CutTo("äöü", 0, words.Bytes), "…"},
		{told("äöü", 3, words.Letters), "äöü"}, {told("äöüß", 3, words.Letters), "äöü…[3 of 4 characters]"}, {told("äöü", 5, words.Bytes), "äö…[2 of 3 characters]"},
		{told(strings.Repeat("x", 2000), 1000, words.Letters)[1000:], "…[1,000 of 2,000 characters]"},
		{words.Line(" a\n\tb\r\n c ", 9), "a b c"}, {words.Line("one two three", 8), "one two…"}, {words.Line(strings.Repeat("ä", 500), 3), "ää…"}, {words.Line("", 5), ""},
		{words.OneLine("a\r\nb\nc\rd\te\n\n"), "a⏎b⏎c⏎d⇥e"}, {words.OneLine("plain"), "plain"},
		{words.Sentence("no rows"), "No rows."}, {words.Sentence("über alles."), "Über alles."}, {words.Sentence("is it?"), "Is it?"}, {words.Sentence(""), ""},
		{words.FirstSentence("In a.b files. Then more."), "In a.b files."}, {words.FirstSentence("one"), "one"},
		{words.List(nil, "or"), ""}, {words.List([]string{"a"}, "or"), "a"}, {words.List([]string{"a", "b"}, "and"), "a and b"}, {words.List([]string{"a", "b", "c"}, "or"), "a, b or c"},
	} {
		if test.got != test.want {
			t.Errorf("got %q, want %q", test.got, test.want)
		}
	}
}

func FuzzCut(f *testing.F) {
	for _, text := range []string{"", "abc", "äöü漢字", "a\xffb", "\xe6\xbc"} {
		f.Add(text, 2)
	}
	f.Fuzz(func(t *testing.T, text string, most int) {
		for name, room := range map[string]words.Room{"characters": words.Letters, "bytes": words.Bytes} {
			n := room(text, most)
			if n < 0 || n > len(text) || n < len(text) && !utf8.RuneStart(text[n]) && utf8.ValidString(text) {
				t.Fatalf("%s: %d of %q", name, n, text)
			}
		}
		if short := words.Cut(text, most); utf8.RuneCountInString(short) > max(most, 1) {
			t.Fatalf("%q cut to %d is %q", text, most, short)
		}
	})
}

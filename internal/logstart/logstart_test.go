package logstart

import (
	"strings"
	"testing"
)

func TestMark(t *testing.T) {
	t.Parallel()
	long := "{" + strings.Repeat("x", Most)
	for name, c := range map[string]struct {
		was, now string
		want     bool
	}{
		"same":                    {"{a\nb\n", "{a\nb\n", true},
		"grown":                   {"{a\nb\n", "{a\nb\nc\n", true},
		"grown within a line":     {"{a\nb", "{a\nbc\n", true},
		"shorter":                 {"{a\nb\n", "{a\n", false},
		"another second line":     {"{a\nb\n", "{a\nc\n", false},
		"another first line":      {"{a\nb\n", "{c\nb\n", false},
		"no complete line":        {"{a", "{a", false},
		"a database":              {"a\nb\n", "a\nb\n", false},
		"empty":                   {"", "", false},
		"a long line":             {long + "yz\n", long + "yz\nnext\n", true},
		"after the hashed bytes":  {"{\n" + long, "{\n" + long + "more", true},
		"among the hashed bytes":  {"{\n" + long, "{\n" + long[1:Most/2] + "y" + long[Most/2:], false},
		"a long line of another":  {long, "{y" + long, false},
		"a long line that's less": {long, long[:Most/2], false},
	} {
		cut := func(text string) []byte { return []byte(text[:min(len(text), Most)]) }
		if got := Parse(Of(cut(c.was)).String()).IsOf(cut(c.now)); got != c.want {
			t.Errorf("%s: %t, want %t", name, got, c.want)
		}
	}
}

// TestHasher: a mark doesn't depend on how the bytes come.
func TestHasher(t *testing.T) {
	t.Parallel()
	text := "{" + strings.Repeat("line\n", Most/4)
	want := Of([]byte(text))
	for _, size := range []int{1, 7, 4096, Most - 1, Most, Most + 1} {
		h := New()
		for at := 0; at < len(text); at += size {
			h.Add([]byte(text[at:min(at+size, len(text))]))
		}
		if got := h.Mark(); got != want || got.Bytes != Most {
			t.Errorf("parts of %d bytes: %v, want %v", size, got, want)
		}
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "x", "0 0000000000000001 0000000000000002", "5 1", "99999999 0000000000000001 0000000000000002"} {
		if m := Parse(text); m != (Mark{}) {
			t.Errorf("%q: %v", text, m)
		}
	}
}

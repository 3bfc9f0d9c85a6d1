package suggest_test

import (
	"slices"
	"testing"

	"hindsql/internal/suggest"
)

func TestTo(t *testing.T) {
	known := []string{"rejections", "rejections-by-tool", "rejection-reasons", "overview", "weekly", "since", "claude", "codex", "pi", "sync"}
	for _, c := range []struct {
		word string
		want []string
	}{
		{"rejectoins", []string{"rejections"}}, // two letters swapped
		{"rejection", []string{"rejections", "rejections-by-tool", "rejection-reasons"}},
		{"weekyl", []string{"weekly"}},
		{"sinec", []string{"since"}},
		{"Claude", []string{"claude"}},
		{"claude-code", []string{"claude"}},
		{"over", []string{"overview"}},
		{"ip", nil}, // too short for a guess
		{"sessions", nil},
		{"", nil},
		{"overview", nil},
		{"cödex", []string{"codex"}},
	} {
		if got := suggest.To(c.word, known); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.word, got, c.want)
		}
	}
	if got := suggest.To("aaaa", []string{"aaab", "aaac", "aaad", "aaae"}); len(got) != 3 {
		t.Errorf("%q: want three", got)
	}
}

func TestAsk(t *testing.T) {
	for _, c := range []struct {
		known []string
		want  string
	}{
		{nil, "; see help"}, {[]string{"tools"}, "; did you mean tools? see help"}, {[]string{"tools", "took"}, "; did you mean tools or took? see help"},
		{[]string{"tools", "took", "toll"}, "; did you mean tools, took or toll? see help"},
	} {
		if got := suggest.Ask("tool", c.known, "see help"); got != c.want {
			t.Errorf("%q: %q, want %q", c.known, got, c.want)
		}
	}
}

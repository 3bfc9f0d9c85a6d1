package vscode

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"hindsql/tables"
)

// madeOf makes calls with the one-letter names a, b, c …. A letter with a digit gets an
// id that made and shown calls can share.
func madeOf(names string) (list []*call) {
	for i, n := range strings.Fields(names) {
		t := &call{ToolCall: tables.ToolCall{ToolName: n[:1]}, native: fmt.Sprintf("made%d", i)}
		if len(n) > 1 {
			t.native = n + "__vscode-1"
		}
		list = append(list, t)
	}
	return list
}

func shownOf(names string) (list []*part) {
	for _, n := range strings.Fields(names) {
		p := &part{name: n[:1], id: "11111111-2222-4333-8444-555555555555"}
		if len(n) > 1 {
			p.id = n
		}
		list = append(list, p)
	}
	return list
}

// pairs writes, for each part, the index of the joined call, or - for a part without a
// call.
func pairs(made []*call, shown []*part) string {
	place := map[*call]int{}
	for i, t := range made {
		place[t] = i
	}
	var out []string
	for _, p := range shown {
		if p.call == nil {
			out = append(out, "-")
		} else {
			out = append(out, fmt.Sprint(place[p.call]))
		}
	}
	return strings.Join(out, " ")
}

func TestMatch(t *testing.T) {
	for _, test := range []struct{ made, shown, want string }{
		{"a b c", "a b c", "0 1 2"},
		{"a b c", "b c", "1 2"},
		{"a b a c", "b a c", "1 2 3"},
		{"b a c a b", "a b", "1 4"},
		{"a a", "a", "0"},
		{"a b", "x a x b x", "- 0 - 1 -"},
		{"c a b c", "a b c", "1 2 3"},
		{"b a c d", "a c b d", "1 2 - 3"},
		{"a1 b c2 b", "a1 c2 b", "0 2 3"},       // the anchor says which b
		{"a b1 a c2 a", "a b1 c2 a", "0 1 3 4"}, // and which a
		{"a1 b2 c", "b2 a1 c", "1 0 2"},         // anchors out of order
		{"a9 b c d", "b c d a9", "- - - 0"},     // an id is believed, at any price
		{"", "a b", "- -"},
		{"a b", "", ""},
	} {
		made, shown := madeOf(test.made), shownOf(test.shown)
		matchCalls(made, shown)
		if got := pairs(made, shown); got != test.want {
			t.Errorf("%s / %s: %s, want %s", test.made, test.shown, got, test.want)
		}
	}
}

// TestMatchEquals: three calls have the same name, and VS Code showed one of them.
// Copilot itself refused the first call, so VS Code never showed this call. Of the
// other two, the one with the part's file is joined to the part.
func TestMatchEquals(t *testing.T) {
	made, shown := madeOf("a a a"), shownOf("a")
	made[0].hasResult, made[0].result = true, textInvalid+"x)"
	made[1].FilePath, made[2].FilePath = "/one", "/two"
	shown[0].file = "/two"
	matchCalls(made, shown)
	if got := pairs(made, shown); got != "2" {
		t.Errorf("joined to %s", got)
	}
}

// TestAlignIsLongest: for random lists of calls, match joins as many calls by name as
// any order allows.
func TestAlignIsLongest(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	word := func() string {
		var names []string
		for range random.Intn(8) {
			names = append(names, string(rune('a'+random.Intn(3))))
		}
		return strings.Join(names, " ")
	}
	for range 2000 {
		a, b := word(), word()
		made, shown := madeOf(a), shownOf(b)
		matchCalls(made, shown)
		joined := 0
		for _, p := range shown {
			if p.call != nil {
				joined++
			}
		}
		if want := longest(strings.Fields(a), strings.Fields(b)); joined != want {
			t.Fatalf("%s / %s: %d joined, want %d", a, b, joined, want)
		}
	}
}

// longest returns the length of the longest common sequence, in the plainest way.
func longest(a, b []string) int {
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	best := max(longest(a[1:], b), longest(a, b[1:]))
	if a[0] == b[0] {
		best = max(best, 1+longest(a[1:], b[1:]))
	}
	return best
}

// TestAlignIsBounded: in a request with too many calls, which only a damaged file has,
// no calls are joined by name. Otherwise the table for the search would fill the
// memory.
func TestAlignIsBounded(t *testing.T) {
	made, shown := madeOf(strings.Repeat("a ", 3000)), shownOf(strings.Repeat("a ", 3000))
	matchCalls(made, shown)
	if shown[0].call != nil {
		t.Error("joined")
	}
}

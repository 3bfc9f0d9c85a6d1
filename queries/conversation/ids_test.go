package conversation

import (
	"context"
	"regexp/syntax"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hindsql/internal/result"
)

func rowsOf(rows ...[]any) Run {
	return func(context.Context, string, map[string]any) (result.Set, error) { return result.Set{Rows: rows}, nil }
}

func TestShort(t *testing.T) {
	t.Parallel()
	ids, err := ReadIds(t.Context(), rowsOf(
		[]any{"0af5e543-01b2-4621", "main", nil},
		[]any{"0af5e543-01b2-4700", "main", nil},
		[]any{"11111111-2222", "main", nil},
		[]any{"tiny", "main", nil},
		[]any{"ses_20a1f0ffe01A", "main", nil},
		[]any{"ses_20a1f0ffe01B", "main", nil},
		[]any{"11111111-2222/agent-ae7fcc9", "subagent", "11111111-2222"},
		[]any{"11111111-2222/agent-ae7fdd0", "subagent", "11111111-2222"},
		[]any{"11111111-2222/agent-acompact-2d97a0f9", "compaction_helper", "11111111-2222"},
		[]any{"33333333-4444", "guardian", "11111111-2222"},
		[]any{"ses_21b7d9ffe03", "subagent", "33333333-4444"},
		[]any{"a2a-server@2026-05-16", "server", nil},
		[]any{"lonely-99999", "subagent", "gone"},
		[]any{"äöüäöüäöü1", "main", nil},
		[]any{"äöüäöüäöü2", "main", nil},
	))
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]string{
		"0af5e543-01b2-4621":                    "0af5e543-01b2-46",
		"0af5e543-01b2-4700":                    "0af5e543-01b2-47",
		"11111111-2222":                         "11111111",
		"11111111-2222:17":                      "11111111:17",
		"tiny":                                  "tiny",
		"ses_20a1f0ffe01A":                      "ses_20a1f0ffe01A",
		"11111111-2222/agent-ae7fcc9":           "11111111/ae7fc",
		"11111111-2222/agent-ae7fcc9:3":         "11111111/ae7fc:3",
		"11111111-2222/agent-acompact-2d97a0f9": "11111111/2d97",
		"33333333-4444":                         "11111111/3333",
		"ses_21b7d9ffe03":                       "11111111/21b7",
		"a2a-server@2026-05-16":                 "a2a-serv",
		"lonely-99999":                          "lonely-9",
		"äöüäöüäöü1":                            "äöüäöüäöü1",
		"nothing of ours":                       "nothing of ours",
		"nothing:1":                             "nothing:1",
		"":                                      "",
	} {
		if got := ids.Short(id); got != want {
			t.Errorf("%s: %s, want %s", id, got, want)
		}
	}
}

func TestSplit(t *testing.T) {
	t.Parallel()
	for reference, want := range map[string]struct {
		id      string
		message int64
	}{"a": {"a", -1}, "a:0": {"a", 0}, "a:12": {"a", 12}, "a:x": {"a:x", -1}, "a:-1": {"a:-1", -1}, ":1": {":1", -1}, "a:99999999999999999999": {"a:99999999999999999999", -1}} {
		if id, message := Split(reference); id != want.id || message != want.message {
			t.Errorf("%s: %s, %d", reference, id, message)
		}
	}
}

// TestNear checks that left-out messages are counted and that no message is split.
func TestNear(t *testing.T) {
	t.Parallel()
	var c Conversation
	for i := range int64(20) {
		c.Pieces = append(c.Pieces, Piece{Kind: Answer, Index: i}, Piece{Kind: Call, Index: i, Call: &ToolCall{Result: i + 1}})
	}
	for _, test := range []struct {
		name string
		near *Conversation
		want string
	}{
		{"one message", c.AboutMessage(10, 1), "…8 8 8 9 9 10 10 11 11 …8"},
		{"the first", c.AboutMessage(0, 0), "0 0 …19"},
		{"of a result alone", c.AboutMessage(20, 0), "…19 19 19"},
		{"behind the last", c.AboutMessage(99, 0), "…19 19 19"},
		{"two places", c.Near(func(p *Piece) bool { return p.Index == 3 || p.Index == 9 }, 1), "…2 2 2 3 3 4 4 …3 8 8 9 9 10 10 …9"},
		{"none", c.Near(func(*Piece) bool { return false }, 3), "…20"},
	} {
		var got []string
		for _, p := range test.near.Pieces {
			if p.Kind == LeftOut {
				got = append(got, "…"+itoa(p.Count))
			} else {
				got = append(got, itoa(p.Index))
			}
		}
		if got := strings.Join(got, " "); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

func itoa(n int64) string { return text(n) }

// TestHit checks that Find cuts the matching line out of the text and marks every match
// in the line.
func TestHit(t *testing.T) {
	t.Parallel()
	s := Search{Text: "a.b"}
	hits, more, err := s.Find(t.Context(), rowsOf(
		[]any{"x", "s", "/w/shop", "about", int32(3), nil, "prompt", "before\n  an A.B and ", "a.b", " more a.b\nafter", int32(3), "shop"},
		[]any{"x", "s", nil, nil, nil, nil, "output", strings.Repeat("x", around), "a.b", strings.Repeat("y", around), nil, nil},
	))
	if err != nil || more {
		t.Fatal(more, err)
	}
	if got := hits[0]; got.Line != "an A.B and a.b more a.b" || !cmp.Equal(got.Matches, [][2]int{{11, 14}, {3, 6}, {20, 23}}) || got.Index != 3 {
		t.Errorf("%+v", got)
	}
	if got := hits[1]; !strings.HasPrefix(got.Line, "…x") || !strings.HasSuffix(got.Line, "y…") || got.Index != -1 {
		t.Errorf("%+v", got)
	}
	s = Search{Text: "(", Regex: true}
	if _, _, err := s.Find(t.Context(), rowsOf()); err == nil {
		t.Error("no error of a bad expression")
	} else if _, ok := err.(*syntax.Error); !ok {
		t.Errorf("%T", err)
	}
}

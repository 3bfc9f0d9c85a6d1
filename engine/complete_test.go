package engine_test

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hindsql/internal/whole"
)

// complete returns the word before the bar, and its completions.
func complete(t testing.TB, s face, text string) (typed string, words []string) {
	t.Helper()
	before, after, _ := strings.Cut(text, "|")
	c, err := s.Complete(context.Background(), before+after, len(before))
	must(t, err)
	return before[c.Start:], c.Words
}

func TestCompleteKnowsAliases(t *testing.T) {
	t.Parallel()
	s := newHome(t).Open()
	rows(t, s, "CREATE TEMP TABLE mine (one INTEGER, two INTEGER)")
	for text, want := range map[string]string{
		"SELECT r.proposed_d| FROM rejections r":                                        "proposed_diff",
		"FROM rejections r SELECT r.proposed_d|":                                        "proposed_diff",
		"SELECT * FROM sessions AS s WHERE s.tit|":                                      "title",
		"SELECT * FROM sessions s JOIN rejections r ON r.rea|":                          "reason",
		"SELECT rejections.proposed_d| FROM rejections":                                 "proposed_diff",
		"SELECT R.PROPOSED_D| FROM Rejections R":                                        "proposed_diff",
		"FROM r: rejections SELECT r.proposed_d|":                                       "proposed_diff",
		"SELECT 'from sessions r' FROM rejections r -- sessions r\nWHERE r.ti|":         "timestamp",
		"SELECT m.| FROM mine m":                                                        "one,two",
		"SELECT 1; SELECT m.| FROM mine m; SELECT 2":                                    "one,two",
		"SELECT r.proposed_d| FROM store.main.rejections r":                             "proposed_diff",
		"SELECT m.is_co| FROM with_copies.messages m":                                   "is_copy",
		"SELECT is_co| FROM with_copies.messages":                                       "is_copy",
		"SELECT m.is_co| FROM messages m":                                               "",
		"SELECT is_co| FROM messages":                                                   "",
		"FROM mine m SELECT m.|; FROM sessions m":                                       "one,two",
		"SELECT 'ü', m.o| FROM mine m":                                                  "one",
		"WITH a AS (SELECT 1 AS x, 2 AS xy) SELECT a.x| FROM a":                         "x,xy",
		"WITH a AS (SELECT 1 AS x), b AS (SELECT x AS z FROM a) SELECT q.| FROM b AS q": "z",
		"WITH a(u, vw) AS (SELECT 1, 2) SELECT a.| FROM a":                              "u,vw",
		"SELECT t.| FROM (SELECT 1 AS x, kind FROM messages) t":                         "x,kind",
		"SELECT s.s| FROM search('x') s":                                                "snippet,session_id",
		"FROM session('x') v SELECT v.wh|":                                              "who,what",
		"SELECT mi.|":                                                                   "one,two",
		"SELECT qq.proposed_d|":                                                         "proposed_diff",
		"FROM temp.mi|":                                                                 "mine",
		"SELECT r.read_|":                                                               "",
	} {
		_, words := complete(t, s, text)
		if got := strings.Join(words, ","); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// TestCompleteValues: a string is completed with values of the compared column, the
// most frequent first, and with no file names.
func TestCompleteValues(t *testing.T) {
	whole.Test(t, "asks at many places, 0.5 s of processor time")
	h := newHome(t)
	s := h.Open()
	rows(t, s, "CREATE TEMP TABLE mine (name VARCHAR, n INTEGER); INSERT INTO mine VALUES ('it''s', 1), ('both', 2), ('both', 3), ('itself', 4)")
	t.Chdir(t.TempDir())
	must(t, appendFile("both.csv", []byte("a,b")))
	for text, want := range map[string]string{
		"FROM mine WHERE name = '|":                     "both',it''s',itself'",
		"FROM mine WHERE name = 'it|":                   "it''s',itself'",
		"FROM mine WHERE name = 'it''|":                 "it''s'",
		"FROM mine m WHERE m.name IN ('both', 'IT|":     "it''s',itself'",
		"FROM mine WHERE name NOT LIKE 'b|' AND n = 1":  "both",
		"FROM mine WHERE \"name\" != 'b|":               "both'",
		"FROM mine WHERE name IS NOT DISTINCT FROM 'b|": "both'",
		"FROM mine WHERE n = '|":                        "1',2',3',4'",
		"FROM mine WHERE lower(name) = 'b|":             "",
		"SELECT 'b|":                                    "",
		"SELECT concat('a', 'bo|":                       "",
		"FROM 'bo|":                                     "both.csv'",
		"FROM read_csv('bo|":                            "both.csv'",
		"SELECT 1; FROM mine WHERE name = 'b|":          "both'",
		"-- name = 'b|":                                 "",
	} {
		if _, words := complete(t, s, text); strings.Join(words, ",") != want {
			t.Errorf("%s: %q, want %q", text, words, want)
		}
	}
}

func TestComplete(t *testing.T) {
	whole.Test(t, "loads stores again and again, 0.8 s of processor time")
	t.Parallel()
	s := newHome(t).Open()
	folder := filepath.ToSlash(t.TempDir())
	must(t, appendFile(filepath.Join(folder, "unusual.csv"), []byte("a,b")))
	for text, want := range map[string]struct{ typed, word string }{
		"sel|":                                {"sel", "select "},
		"SEL|":                                {"SEL", "SELECT "},
		"SELECT 1; SEL|":                      {"SEL", "SELECT "},
		"SELECT 'ü', regexp_ex|":              {"regexp_ex", "regexp_extract"},
		"FROM sear|":                          {"sear", "search"},
		"SELECT unified_di|":                  {"unified_di", "unified_diff"},
		"FROM rej|":                           {"rej", "rejections"},
		"FROM with_c|":                        {"with_c", "with_copies."},
		"WITH recent AS (SELECT 1) FROM rec|": {"rec", "recent"},
		"FROM with_copies.rej|":               {"rej", "rejections"},
		"SELECT local_d|":                     {"local_d", "local_day"},
		"FROM messages ORDER BY timest|":      {"timest", "timestamp"},
		"FROM sessions WHERE tit|":            {"tit", "title"},
		"SELECT tit| FROM sessions":           {"tit", "title"},
		"FROM read_csv('" + folder + "/unus|": {"unus", "unusual.csv'"},
	} {
		typed, words := complete(t, s, text)
		if typed != want.typed || !slices.Contains(words, want.word) {
			t.Errorf("%s: %q becomes %q; want %q, %q", text, typed, words, want.typed, want.word)
		}
		for _, w := range words {
			if !strings.EqualFold(w[:len(typed)], typed) {
				t.Errorf("%s: %q doesn't begin with %q", text, w, typed)
			}
		}
	}
	if _, words := complete(t, s, "FROM messag|"); len(words) != 1 {
		t.Errorf("one table is told as %q", words)
	}
	for _, hidden := range []string{"FROM sessions WHERE tool_nam|", "FROM store_inf|", "FROM clear_mar|", "SELECT schema_has|", "FROM hindsql_|", "SELECT hindsql_|"} {
		if _, words := complete(t, s, hidden); len(words) > 0 {
			t.Errorf("%s: %q", hidden, words)
		}
	}
}

// BenchmarkComplete: a Tab may take 20 ms.
func BenchmarkComplete(b *testing.B) {
	s := newHome(b).Open()
	for _, text := range []string{"SELECT |", "FROM rejections r SELECT r.|", "SELECT * FROM sessions s JOIN rejections r USING (agent, session_id) WHERE to|"} {
		b.Run(text, func(b *testing.B) {
			for b.Loop() {
				complete(b, s, text)
			}
		})
	}
}

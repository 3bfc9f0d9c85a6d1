package engine

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestStatementsEndAtSemicolons(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"":                                     nil,
		" ;; ; ":                               nil,
		"-- only a comment":                    nil,
		"/* ; */ ;":                            nil,
		"SELECT 1":                             {"SELECT 1"},
		"SELECT 1;":                            {"SELECT 1"},
		"SELECT 1; SELECT 2":                   {"SELECT 1", " SELECT 2"},
		"SELECT ';'; SELECT 2":                 {"SELECT ';'", " SELECT 2"},
		"SELECT 'it''s;'; SELECT 2":            {"SELECT 'it''s;'", " SELECT 2"},
		`SELECT 'a\'; SELECT 2`:                {`SELECT 'a\'`, " SELECT 2"},
		`SELECT e'a\';'; SELECT 2`:             {`SELECT e'a\';'`, " SELECT 2"},
		`SELECT type'a;'; SELECT 2`:            {`SELECT type'a;'`, " SELECT 2"},
		`SELECT ";" FROM t; SELECT 2`:          {`SELECT ";" FROM t`, " SELECT 2"},
		"SELECT $$;$$; SELECT 2":               {"SELECT $$;$$", " SELECT 2"},
		"SELECT $x$;$$;$x$; SELECT 2":          {"SELECT $x$;$$;$x$", " SELECT 2"},
		"SELECT $1; SELECT $b":                 {"SELECT $1", " SELECT $b"},
		"SELECT $a, $b; SELECT 2":              {"SELECT $a, $b", " SELECT 2"},
		"SELECT 1 -- ; no\n; SELECT 2":         {"SELECT 1 -- ; no\n", " SELECT 2"},
		"SELECT 1 /* ; /* ; */ ; */; SELECT 2": {"SELECT 1 /* ; /* ; */ ; */", " SELECT 2"},
		"SELECT 'open; SELECT 2":               {"SELECT 'open; SELECT 2"},
		"SELECT /* open; SELECT 2":             {"SELECT /* open; SELECT 2"},
		"SELECT 'ü;'; SELECT ü":                {"SELECT 'ü;'", " SELECT ü"},
	} {
		var got []string
		for _, p := range statements(text) {
			got = append(got, p.text)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: (-want +got)\n%s", text, diff)
		}
	}
}

// FuzzStatements: whatever the text, the pieces are its own, in order.
func FuzzStatements(f *testing.F) {
	f.Add("SELECT ';'; -- x\nSELECT $a$;$a$ /* ; */")
	f.Fuzz(func(t *testing.T, text string) {
		end := 0
		for _, p := range statements(text) {
			if len(p.before) < end || !strings.HasPrefix(text, p.before+p.text) {
				t.Errorf("%q: %q is not where it stands", text, p.text)
			}
			end = len(p.before) + len(p.text)
		}
	})
}

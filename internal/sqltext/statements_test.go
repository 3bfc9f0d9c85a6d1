package sqltext_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hindsql/internal/sqltext"
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
		"SELECT 1 -- x\r; SELECT 2":            {"SELECT 1 -- x\r", " SELECT 2"},
		"SELECT 1 AS a$$; SELECT 2 AS b$$":     {"SELECT 1 AS a$$", " SELECT 2 AS b$$"},
		"SELECT 1e'\\';'; SELECT 2":            {"SELECT 1e'\\';'", " SELECT 2"},
		"SELECT e'a'\n'b\\';'; SELECT 2":       {"SELECT e'a'\n'b\\';'", " SELECT 2"},
	} {
		var got []string
		for _, s := range sqltext.Statements(text) {
			got = append(got, s.Text)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: (-want +got)\n%s", text, diff)
		}
	}
}

// FuzzStatements checks that the statements of any text are parts of the text, in
// order.
func FuzzStatements(f *testing.F) {
	f.Add("SELECT ';'; -- x\nSELECT $a$;$a$ /* ; */")
	f.Fuzz(func(t *testing.T, text string) {
		end := 0
		for _, s := range sqltext.Statements(text) {
			if len(s.Before) < end || !strings.HasPrefix(text, s.Before+s.Text) {
				t.Errorf("%q: %q is not where it stands", text, s.Text)
			}
			end = len(s.Before) + len(s.Text)
		}
	})
}

func TestSplit(t *testing.T) {
	t.Parallel()
	type split struct {
		Ended        []string
		Rest         string
		IsCode, Open bool
	}
	for text, want := range map[string]split{
		"":                              {},
		"\n":                            {Rest: "\n"},
		"SELECT 1\n":                    {Rest: "SELECT 1\n", IsCode: true},
		"SELECT 1;\n":                   {Ended: []string{"SELECT 1"}, Rest: "\n"},
		"SELECT 1; -- x\n":              {Ended: []string{"SELECT 1"}, Rest: " -- x\n"},
		"SELECT 1; -- x":                {Ended: []string{"SELECT 1"}, Rest: " -- x", Open: true},
		"SELECT 1; SELECT\n":            {Ended: []string{"SELECT 1"}, Rest: " SELECT\n", IsCode: true},
		"SELECT 1; SELECT 2;\n":         {Ended: []string{"SELECT 1", " SELECT 2"}, Rest: "\n"},
		"SELECT ';\n":                   {Rest: "SELECT ';\n", IsCode: true, Open: true},
		"SELECT 'it''\n":                {Rest: "SELECT 'it''\n", IsCode: true, Open: true},
		"SELECT 'it';":                  {Ended: []string{"SELECT 'it'"}},
		"SELECT \"a;\n":                 {Rest: "SELECT \"a;\n", IsCode: true, Open: true},
		"SELECT $$ ;\n":                 {Rest: "SELECT $$ ;\n", IsCode: true, Open: true},
		"SELECT 1; /* a; b\n":           {Ended: []string{"SELECT 1"}, Rest: " /* a; b\n", Open: true},
		"/* a; /* b */\n":               {Rest: "/* a; /* b */\n", Open: true},
		"/* a; /* b */ */ SELECT 1;\n":  {Ended: []string{"/* a; /* b */ */ SELECT 1"}, Rest: "\n"},
		"-- only a comment; really\n":   {Rest: "-- only a comment; really\n"},
		"SELECT 1 -- it's ;\n + 1;\n":   {Ended: []string{"SELECT 1 -- it's ;\n + 1"}, Rest: "\n"},
		"CREATE MACRO f(a) AS (a); FRO": {Ended: []string{"CREATE MACRO f(a) AS (a)"}, Rest: " FRO", IsCode: true},
	} {
		ended, rest := sqltext.Split(text)
		got := split{Rest: rest.Text, IsCode: rest.IsCode, Open: rest.Open}
		for _, s := range ended {
			got.Ended = append(got.Ended, s.Text)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: (-want +got)\n%s", text, diff)
		}
		if rest.Before+rest.Text != text {
			t.Errorf("%q: the rest %q stands behind %q", text, rest.Text, rest.Before)
		}
	}
}

func TestPlaced(t *testing.T) {
	t.Parallel()
	list := sqltext.Statements("SELECT 1;\n\n'ü'; SELECT 2")
	if got := list[len(list)-1].Placed(); got != "\n\n     SELECT 2" {
		t.Errorf("placed as %q", got)
	}
}

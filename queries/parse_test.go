package queries_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"hindsql/internal/chart"
	"hindsql/queries"
)

func TestParse(t *testing.T) {
	text := `-- by-day: prompts of each day
--
-- Prompts per day,
-- newest first.
--
-- A second paragraph.
--
-- format line
-- row day, with a total
-- chart line label=day value=prompts:count
-- card day project | prompts
-- hidden minutes Cost
-- takes project until
-- param since TIMESTAMPTZ = now() - INTERVAL 30 DAY   first moment counted
-- param price DECIMAL(18, 2) = 1.50  of a prompt
-- param by VARCHAR = 'day' {day,week}   a row
-- example hindsql run by-day price=2 since=7d by=WEEK
SELECT $by, $price, $until, $project, '$none', "$none", $$ $none $$, $x$ ? $none $x$, a$none, e'\'$none' -- $none
/* $none ? */ WHERE timestamp >= $since
`
	got, err := queries.Parse("by-day", text)
	if err != nil {
		t.Fatal(err)
	}
	want := &queries.Query{
		Name:   "by-day",
		Title:  "prompts of each day",
		Prose:  "Prompts per day,\nnewest first.\n\nA second paragraph.",
		Format: "line",
		Row:    "day", Total: true,
		Chart:  &chart.Declaration{Kind: chart.Line, Label: []string{"day"}, Value: "prompts", Count: true, Place: "by-day.sql:10"},
		Card:   [][]string{{"day", "project"}, {"prompts"}},
		Hidden: []string{"minutes", "Cost"},
		Params: []queries.Param{
			{Name: "project", Type: "VARCHAR", Default: "NULL", Doc: "part of the project's folder, in any case"},
			{Name: "until", Type: "TIMESTAMPTZ", Default: "NULL", Doc: "first moment no longer counted"},
			{Name: "since", Type: "TIMESTAMPTZ", Default: "now() - INTERVAL 30 DAY", Doc: "first moment counted"},
			{Name: "price", Type: "DECIMAL(18, 2)", Default: "1.50", Doc: "of a prompt"},
			{Name: "by", Type: "VARCHAR", Default: "'day'", Doc: "a row", Values: []string{"day", "week"}},
		},
		Example: "hindsql run by-day price=2 since=7d by=WEEK",
		SQL:     text,
	}
	if diff := cmp.Diff([]string{"price=2", "since=7d", "by=WEEK"}, got.ExampleArgs()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(queries.Param{}, queries.Query{})); diff != "" {
		t.Error(diff)
	}
	typed := strings.NewReplacer("SELECT $by, $price, $until, $project", "SELECT CAST($by AS VARCHAR), CAST($price AS DECIMAL(18, 2)), CAST($until AS TIMESTAMPTZ), CAST($project AS VARCHAR)",
		">= $since", ">= CAST($since AS TIMESTAMPTZ)").Replace(text)
	if diff := cmp.Diff(typed, got.TypedSQL()); diff != "" {
		t.Error(diff)
	}
}

func TestParseErrors(t *testing.T) {
	long := strings.Repeat("é", 61)
	for _, test := range []struct{ name, text, want string }{
		{"empty", "", "1: no SQL"},
		{"only a comment", "-- Nothing yet.\n", "1: no SQL"},
		{"no title, a parameter", "-- param day DATE = today()   a day\nSELECT $day", "1: expected the first line to be `-- q: TITLE`, because a line declares $day"},
		{"no title, takes", "-- Prompts.\n-- takes since until\nSELECT $until", "1: expected the first line to be `-- q: TITLE`, because a line declares $until"},
		{"long title", "-- q: " + long + "\n--\n-- Help.\nSELECT 1", "1: the title has 61 letters, at most 60 are shown"},
		{"no SQL", "-- q: title\n--\n-- Help.\n", "4: no SQL"},
		{"key below the title", "-- q: title\n-- parm a\nSELECT 1", `2: unknown header key "parm"; the keys are takes, param, format, row, card, hidden, chart and example, and prose begins with a capital letter`},
		{"unknown key", "-- q: title\n--\n-- Help.\n--\n-- parm a INTEGER = 1   one\nSELECT 1",
			`5: unknown header key "parm"; the keys are takes, param, format, row, card, hidden, chart and example, and prose begins with a capital letter`},
		{"unknown key later", "-- q: title\n--\n-- Help.\n--\n-- param a INTEGER = 1   one\n-- and more\nSELECT $a",
			`6: unknown header key "and"; the keys are takes, param, format, row, card, hidden, chart and example, and prose begins with a capital letter`},
		{"unknown chart", "-- q: title\n--\n-- Help.\n--\n-- chart pie label=a value=b\nSELECT 1",
			`5: chart: unknown kind "pie"; the kinds are bar and line`},
		{"two charts", "-- q: title\n--\n-- Help.\n--\n-- chart bar label=a value=b\n-- chart bar label=a value=b\nSELECT 1",
			`6: a second chart; one is enough`},
		{"takes nothing", "-- q: title\n--\n-- Help.\n--\n-- takes\nSELECT 1", `5: "-- takes" is followed by names: since, until, agent, project`},
		{"takes another", "-- q: title\n--\n-- Help.\n--\n-- takes since tool\nSELECT $since, $tool",
			`5: "-- takes" knows since, until, agent, project; declare tool with a line "-- param tool TYPE = default   what it is for"`},
		{"takes twice", "-- q: title\n--\n-- Help.\n--\n-- param since DATE = NULL   first day\n-- takes since\nSELECT $since", "6: parameter since is declared twice"},
		{"taken and unused", "-- q: title\n--\n-- Help.\n--\n-- row day\n-- takes since until\nSELECT $since", "6: parameter until is not used; the SQL has no $until"},
		{"shared and undeclared", "-- q: title\n--\n-- Help.\nSELECT\n  $agent", `5: parameter $agent is not declared; add a line "-- takes agent"`},
		{"empty card", "-- q: title\n--\n-- Help.\n--\n-- card a |\nSELECT 1",
			`5: a card is written "-- card time tool | said": names of columns, and | where a new line begins`},
		{"two cards", "-- q: title\n--\n-- Help.\n--\n-- card a\n-- card b\nSELECT 1", "6: a second card; one is enough"},
		{"a column twice on a card", "-- q: title\n--\n-- Help.\n--\n-- card a | b A\nSELECT 1", "5: card: A: columns are named with spaces between, each once"},
		{"nothing hidden", "-- q: title\n--\n-- Help.\n--\n-- hidden\nSELECT 1", `5: "-- hidden" is followed by names of columns`},
		{"two hidden", "-- q: title\n--\n-- Help.\n--\n-- hidden a\n-- hidden b\nSELECT 1", "6: a second hidden; name all columns in one line"},
		{"odd column", "-- q: title\n--\n-- Help.\n--\n-- hidden a,b\nSELECT 1", "5: hidden: a,b: columns are named with spaces between, each once"},
		{"odd row", "-- q: a\n--\n-- Prose.\n--\n-- row Projects!\nSELECT 1", `5: a row is written "-- row project" or "-- row project, with a total", in the singular`},
		{"two rows", "-- q: a\n--\n-- Prose.\n--\n-- row day\n-- row day\nSELECT 1", `6: a second row; one is enough`},
		{"no default after =", "-- q: title\n--\n-- Help.\n--\n-- param a INTEGER =   one\nSELECT $a",
			`5: a parameter is written "-- param name TYPE = default   what it is for", with two spaces or more before the prose; without "= default" a value must be given`},
		{"twice", "-- q: title\n--\n-- Help.\n--\n-- param a INTEGER = 1   one\n-- param a INTEGER = 1   one\nSELECT $a",
			"6: parameter a is declared twice"},
		{"example of another", "-- q: title\n--\n-- Help.\n--\n-- example hindsql run p\nSELECT 1",
			`5: an example is written "-- example hindsql run q param=value"`},
		{"two examples", "-- q: title\n--\n-- Help.\n--\n-- example hindsql run q\n-- example hindsql run q\nSELECT 1",
			"6: a second example; one is enough"},
		{"example's parameter", "-- q: title\n--\n-- Help.\n--\n-- example hindsql run q b=1\n-- param a INTEGER = 1   one\nSELECT $a",
			"5: the example's b=1 is no param=value of this query; a value has no spaces"},
		{"example's spaces", "-- q: title\n--\n-- Help.\n--\n-- param a INTEGER = 1   one\n-- example hindsql run q a='x y'\nSELECT $a",
			"6: the example's y' is no param=value of this query; a value has no spaces"},
		{"values", "-- q: title\n--\n-- Help.\n--\n-- param a VARCHAR = 'x' {x,y z}   one\nSELECT $a",
			"5: the values of a are words between commas, without spaces, each once: {day,week,month}"},
		{"default's value", "-- q: title\n--\n-- Help.\n--\n-- param a VARCHAR = 'z' {x,y}   one\nSELECT $a",
			"5: the default of a is none of its values, x, y"},
		{"example's value", "-- q: title\n--\n-- Help.\n--\n-- param a VARCHAR = 'x' {x,y}   one\n-- example hindsql run q a=z\nSELECT $a",
			"6: the example's a=z: unknown; one of x, y"},
		{"unused", "-- q: title\n--\n-- Help.\n--\n-- param a INTEGER = 1   one\nSELECT '$a'",
			"5: parameter a is not used; the SQL has no $a"},
		{"undeclared", "-- q: title\n--\n-- Help.\nSELECT 1,\n  $a",
			`5: parameter $a is not declared; add a line "-- param a TYPE = default   what it is for"`},
		{"without name", "-- q: title\n--\n-- Help.\nSELECT\n\n?", "6: a parameter without a name; write $name"},
		{"numbered", "-- q: title\n--\n-- Help.\nSELECT $1", "4: a parameter without a name; write $name"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := queries.Parse("q", test.text)
			if err == nil || err.Error() != test.want {
				t.Errorf("got  %v\nwant %s", err, test.want)
			}
		})
	}
}

// TestParseWithoutHeader reads files without a title, with a bare title, and a copy of
// another query's file.
func TestParseWithoutHeader(t *testing.T) {
	for _, test := range []struct {
		text string
		want queries.Query
	}{
		{"SELECT $day, $since, $day FROM messages", queries.Query{Title: "my pushes", Params: []queries.Param{
			{Name: "day", Type: "VARCHAR"}, {Name: "since", Type: "TIMESTAMPTZ", Doc: "first moment counted"}}}},
		{"-- takes a while\n-- param is a word\n\nSELECT 1", queries.Query{Title: "my pushes"}},
		{"-- my-pushes: pushes\nSELECT 1", queries.Query{Title: "pushes"}},
		{"-- pushes: pushes\n-- param a INTEGER   one\n-- example hindsql run pushes a=1\nSELECT $a", queries.Query{Title: "pushes",
			Params: []queries.Param{{Name: "a", Type: "INTEGER", Doc: "one"}}, Example: "hindsql run my-pushes a=1"}},
	} {
		got, err := queries.Parse("my-pushes", test.text)
		if err != nil {
			t.Errorf("%s: %v", test.text, err)
			continue
		}
		test.want.Name, test.want.SQL = "my-pushes", test.text
		if diff := cmp.Diff(&test.want, got, cmpopts.IgnoreUnexported(queries.Param{}, queries.Query{})); diff != "" {
			t.Errorf("%s: %s", test.text, diff)
		}
		if _, err := got.Bind(t.Context(), nil, nil); (err == nil) != (got.Params == nil) {
			t.Errorf("%s: bound without values: %v", test.text, err)
		}
	}
}

// TestCheckColumns looks for the header's columns in the result, in any case.
func TestCheckColumns(t *testing.T) {
	q, err := queries.Parse("q", "-- q: title\n--\n-- Help.\n--\n-- row day\n-- card day | Prompts\n-- hidden minutes\nSELECT 1")
	if err != nil {
		t.Fatal(err)
	}
	for names, want := range map[string]string{
		"day prompts MINUTES other": "",
		"day minutes":               "q.sql:6: card: no column \"Prompts\"; the result has day, minutes",
		"day prompts":               "q.sql:7: hidden: no column \"minutes\"; the result has day, prompts",
	} {
		got := ""
		if err := q.CheckColumns(strings.Fields(names)); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", names, got, want)
		}
	}
	q.Path = "/home/q.sql"
	if err := q.CheckColumns(nil); err == nil || !strings.HasPrefix(err.Error(), "/home/q.sql:6: card") {
		t.Errorf("%v", err)
	}
}

func TestBuiltIn(t *testing.T) {
	all, err := queries.All("")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, q := range all {
		names = append(names, q.Name)
		if q.Example == "" || q.Prose == "" {
			t.Errorf("%s: example %q, prose %q", q.Name, q.Example, q.Prose)
		}
		if !strings.HasPrefix(q.SQL, "-- "+q.Name+": ") {
			t.Errorf("%s: the title names another query", q.Name)
		}
		if q.Path != "" || q.Overrides {
			t.Errorf("%s: path %q, overrides %v", q.Name, q.Path, q.Overrides)
		}
	}
	var want []string
	files, err := filepath.Glob("*.sql")
	if err != nil || len(files) < 30 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		want = append(want, strings.TrimSuffix(file, ".sql"))
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
}

// TestTies: queries and reports must break ties between events of the same moment.
// Otherwise a query returns different events on different days, and different columns
// of a row may come from different events.
func TestTies(t *testing.T) {
	open := regexp.MustCompile(`arg_(?:min|max)\([^\n]*?, (?:\w+\.)?(?:timestamp|seconds|last)\)|mode\(\w+\)`)
	texts, err := fs.Glob(os.DirFS("."), "*.sql")
	if err != nil {
		t.Fatal(err)
	}
	reports, err := fs.Glob(os.DirFS("."), "report/*.toml")
	if err != nil || len(texts) < 30 || len(reports) < 2 {
		t.Fatalf("%d queries, %d reports, %v", len(texts), len(reports), err)
	}
	for _, path := range append(texts, reports...) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range open.FindAllString(string(text), -1) {
			t.Errorf("%s: %s doesn't say which of several", path, found)
		}
	}
}

func TestUsersFolder(t *testing.T) {
	folder := t.TempDir()
	write := func(file, text string) {
		if err := os.WriteFile(filepath.Join(folder, file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("overview.sql", "-- overview: mine\n--\n-- Mine.\nSELECT 1")
	write("mine.sql", "-- mine: mine\n--\n-- Mine.\nSELECT 2")
	write("plain.sql", "-- What is plain.\nSELECT 3 AS three")
	write("bad.sql", "-- bad: x\n--\n-- parm a\nSELECT 3")
	write("notes.txt", "no query")

	all, err := queries.All(folder)
	if want := filepath.Join(folder, "bad.sql") + `:3: unknown header key "parm"; the keys are takes, param, format, row, card, hidden, chart and example, and prose begins with a capital letter`; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	found := map[string]*queries.Query{}
	for _, q := range all {
		found[q.Name] = q
	}
	if q := found["overview"]; q.Title != "mine" || !q.Overrides || q.Path != filepath.Join(folder, "overview.sql") {
		t.Errorf("overview: %+v", q)
	}
	if q := found["mine"]; q == nil || q.Overrides {
		t.Errorf("mine: %+v", q)
	}
	for name, q := range found { // Find returns the same query
		one, err := queries.Find(folder, name)
		if err != nil || one == nil || one.SQL != q.SQL || one.Path != q.Path || one.Overrides != q.Overrides {
			t.Errorf("%s: Find gives %+v, All %+v", name, one, q)
		}
	}
	for _, name := range []string{"bad", "notes", "", "../mine"} {
		q, one := queries.Find(folder, name)
		if broken := queries.BrokenFile(err, name); q != nil || (one == nil) != (name != "bad") || one != nil && one.Error() != broken.Error() {
			t.Errorf("%q: %+v, %v, want %v", name, q, one, broken)
		}
	}
	builtIn, err := queries.All("")
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != len(builtIn)+2 {
		t.Errorf("%d queries, want the %d built in and two more", len(all), len(builtIn))
	}
}

func TestMissingFolder(t *testing.T) {
	if _, err := queries.All(filepath.Join(t.TempDir(), "none")); err != nil {
		t.Error(err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("-- q: title\n--\n-- Help.\n--\n-- param a INTEGER = 1   one\nSELECT $a, '$b' -- $c")
	f.Add("-- q: title\n--\n-- Help.\nSELECT $$")
	f.Fuzz(func(t *testing.T, text string) {
		if q, err := queries.Parse("q", text); err == nil && q.Title == "" {
			t.Errorf("no title: %+v", q)
		}
	})
}

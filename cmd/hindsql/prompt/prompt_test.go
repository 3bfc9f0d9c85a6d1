package prompt

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hindsql/cmd/hindsql/ask"
	"hindsql/cmd/hindsql/term"
	"hindsql/engine"
	"hindsql/queries"
)

// script is an Editor of given lines.
type script []string

func (s *script) ReadLine(string) (string, error) {
	if len(*s) == 0 {
		return "", io.EOF
	}
	line := (*s)[0]
	*s = (*s)[1:]
	return line, nil
}

func (*script) Remember([]string) {}

// quiet returns a configuration without logs, with results as CSV. The user's saved
// queries are in the folder saved of the current one.
func quiet(t *testing.T, lines ...string) (Config, *strings.Builder) {
	t.Helper()
	st, err := ask.Open(context.Background(), engine.Config{Store: filepath.Join(t.TempDir(), "x.duckdb")},
		func() ([]*queries.Query, error) { return queries.All("saved") })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	s, err := st.Session(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	var out strings.Builder
	typed := script(lines)
	return Config{
		View:   &term.View{Session: s, Err: &out},
		Editor: &typed, Out: &out, Err: &out, Settings: Settings{Format: "csv", Headers: true, Bail: true},
		Tools: ToolsOf("linux", func(string) (string, bool) { return "", false }),
	}, &out
}

// TestStatementsAreRunWhenTheyEnd checks results of two lines: the expression and its
// value.
func TestStatementsAreRunWhenTheyEnd(t *testing.T) {
	for _, test := range []struct{ typed, want string }{
		{"SELECT 1;", "1|1"},
		{"SELECT 1; SELECT 2; SELECT\n3;", "1|1|2|2|3|3"},
		{"SELECT ';\n' AS s;", "s|\";|\""},
		{"SELECT $$\n;$$ AS s\n;", "s|\"|;\""},
		{"SELECT 1 -- ;\n;", "1|1"},
		{"/* ;\n*/ SELECT 1;", "1|1"},
		{"SELECT 1; -- behind\nSELECT 2;", "1|1|2|2"},
		{"SELECT [1]\n.list_sum() AS s;", "s|1"},
		{"SELECT\n\\q\nSELECT 2;", ""},
		{"-- nothing\n;\n\nSELECT 2;", "2|2"},
		{"SELECT 1", ""},
	} {
		c, out := quiet(t, strings.Split(test.typed, "\n")...)
		if err := New(c).Run(context.Background()); err != nil {
			t.Error(err)
		}
		if got := strings.ReplaceAll(strings.TrimRight(out.String(), "\n"), "\n", "|"); got != test.want {
			t.Errorf("%q gives %q, want %q", test.typed, got, test.want)
		}
	}
}

func TestCompleteCommands(t *testing.T) {
	c, _ := quiet(t)
	completing := completer{&c, available(&c), &input{}}
	t.Chdir(t.TempDir())
	const own = "-- own: mine\n--\n-- Mine.\n--\n-- param since DATE = NULL   from when\n-- param top INTEGER = 1   rows\nSELECT 1 WHERE $since IS NULL AND $top = 1\n"
	for path, text := range map[string]string{"report.sql": "", "reports/x.csv": "", "saved/own.sql": own, "saved/own-too.sql": strings.Replace(own, "own", "own-too", 1)} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const separator = string(filepath.Separator)
	for line, want := range map[string]string{
		".des":                        ".describe ",
		".DES":                        ".describe ",
		`\timi`:                       `\timing `,
		".describe rej":               "rejections",
		".tables clear":               "clears",
		".mode n":                     "ndjson",
		".mode csv n":                 "",
		".run own":                    "own ,own-too ",
		".run overv":                  "overview ",
		".run own ":                   "since=,top=",
		".run own since=7d t":         "top=",
		".run overview agent=":        "",
		".run refusal-rate by=h":      "by=hour ",
		".timer o":                    "on,off",
		".help .qui":                  ".quit",
		".read rep":                   "report.sql,reports" + separator,
		".read reports/":              "reports/x.csv",
		".read ./rep":                 "./report.sql,./reports/",
		`\i nothing`:                  "",
		".explain SELECT * FROM reje": "rejections",
		".nope ":                      "",
	} {
		if _, got := completing.complete(line, ""); strings.Join(got, ",") != want {
			t.Errorf("%s becomes %q, want %q", line, got, want)
		}
	}
}

// TestCompleteSQL checks that completion knows earlier lines and the text behind the
// cursor.
func TestCompleteSQL(t *testing.T) {
	c, _ := quiet(t)
	var in input
	completing := completer{&c, available(&c), &in}
	for _, test := range []struct{ buffer, line, head, word string }{
		{"", "SELECT r.proposed_d| FROM rejections r", "SELECT r.", "proposed_diff"},
		{"FROM rejections r\n", "SELECT r.proposed_d|", "SELECT r.", "proposed_diff"},
		{"", "FROM rejections r\nSELECT 'ü', r.proposed_d|", "FROM rejections r\nSELECT 'ü', r.", "proposed_diff"},
		{"", "FROM rej|", "FROM ", "rejections"},
	} {
		in.buffer = test.buffer
		before, after, _ := strings.Cut(test.line, "|")
		head, words := completing.complete(before, after)
		if diff := cmp.Diff([]string{test.head, test.word}, []string{head, strings.Join(words, ",")}); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", test.line, diff)
		}
	}
	in.buffer = ""
	_, words := completing.complete("Sel", "")
	if !slices.Contains(words, "Select ") && !slices.Contains(words, "select ") && !slices.Contains(words, "SELECT ") {
		t.Errorf("Sel becomes %q", words)
	}
}

func TestWords(t *testing.T) {
	for args, want := range map[string][]string{
		"":                   nil,
		" a  b ":             {"a", "b"},
		`'a b' "c 'd'" e'f'`: {"a b", "c 'd'", "ef"},
		`''`:                 {""},
		`t='2026-01-01 10'`:  {"t=2026-01-01 10"},
	} {
		if diff := cmp.Diff(want, wordsOf(args)); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", args, diff)
		}
	}
}

// terminal is an Editor with ten lines.
type terminal struct {
	script
	lent int
}

func (*terminal) Size() (columns, lines int) { return 80, 10 }

func (t *terminal) Lend() (resume func()) {
	t.lent++
	return func() { t.lent-- }
}

// TestPager checks that text longer than the screen goes to the pager completely, and
// shorter text doesn't. While the pager runs, it has the terminal.
func TestPager(t *testing.T) {
	if os.PathSeparator == '\\' {
		t.Skip("the pager of this test is a shell command")
	}
	for _, test := range []struct {
		lines int
		pager string
		paged bool
	}{{9, "cat > paged", false}, {10, "cat > paged", true}, {5000, "cat > paged", true}, {5000, "head -n 1 > paged", true}, {10, "no-such-pager", false}, {10, "", false}, {10, "cat", false}} {
		t.Run(fmt.Sprint(test.lines, test.pager), func(t *testing.T) {
			t.Chdir(t.TempDir())
			text := strings.Repeat("line\n", test.lines)
			c, out := quiet(t)
			c.Tools = ToolsOf("linux", func(name string) (string, bool) { return test.pager, name == "PAGER" })
			screen := &terminal{script: script{fmt.Sprintf("SELECT 'line' AS line FROM range(%d);", test.lines-1)}}
			c.Editor = screen
			if err := New(c).Run(context.Background()); err != nil || screen.lent != 0 {
				t.Error(err, screen.lent)
			}
			paged, _ := os.ReadFile("paged")
			wantOut, wantPaged := text+"\n", "" // Ctrl-D ends the prompt's line
			if test.paged {
				wantOut, wantPaged = "\n", text
			}
			if test.pager == "head -n 1 > paged" {
				wantPaged = "line\n"
			}
			if got := out.String(); got != wantOut || string(paged) != wantPaged {
				t.Errorf("%d bytes on the screen, %d in the pager: %.200s", len(got), len(paged), got)
			}
		})
	}
}

// TestCommandsAreWhole checks that each command has the help's texts, and that no name
// occurs twice.
func TestCommandsAreWhole(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range commands() {
		if c.help == "" || c.run == nil || !strings.HasPrefix(c.name, ".") || strings.HasSuffix(c.help, ".") {
			t.Errorf("%+v", c)
		}
		for _, name := range append([]string{c.name}, c.aliases...) {
			if seen[name] {
				t.Errorf("%s is declared twice", name)
			}
			seen[name] = true
		}
	}
	for name, other := range foreignNames {
		if first := strings.Trim(strings.Fields(other)[0], ","); seen[name] || strings.ContainsAny(first, `.\`) && !seen[first] {
			t.Errorf("%s: type %s", name, other)
		}
	}
}

// TestExportWhereThereIs checks that the prompt has .export only if its configuration
// has an Export.
func TestExportWhereThereIs(t *testing.T) {
	c, out := quiet(t, ".export a 'b c'")
	if slices.Contains(Names(c), ".export") {
		t.Error("listed")
	}
	c.Export = func(_ context.Context, to io.Writer, args []string) error {
		_, err := fmt.Fprintf(to, "export %q\n", args)
		return err
	}
	if !slices.Contains(Names(c), ".export") {
		t.Error("not listed")
	}
	if err := New(c).Run(context.Background()); err != nil {
		t.Error(err)
	}
	if got, want := out.String(), "export [\"a\" \"b c\"]\n\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestChart checks that .chart without SQL draws the last statement.
func TestChart(t *testing.T) {
	c, out := quiet(t, ".chart", "SELECT 'first' AS k, 1 AS n;", ".chart", ".chart SELECT 'second' AS k, 2 AS n")
	if err := New(c).Run(context.Background()); err != nil {
		t.Error(err)
	}
	got := out.String()
	if !strings.HasPrefix(got, ".chart: no statement was run yet") || strings.Count(got, "first") != 2 || strings.Count(got, "second") != 1 || !strings.Contains(got, "█") {
		t.Error(got)
	}
}

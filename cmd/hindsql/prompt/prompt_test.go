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

// quiet is a configuration without logs, whose statements are only written down.
func quiet(t *testing.T, lines ...string) (Config, *strings.Builder) {
	t.Helper()
	s, err := engine.Open(context.Background(), engine.Config{Store: filepath.Join(t.TempDir(), "x.duckdb")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	var out strings.Builder
	typed := script(lines)
	asItIs := func(path string) string { return path }
	return Config{
		Short: asItIs, Long: asItIs,
		Session: s, Editor: &typed, Out: &out, Err: &out, Settings: &Settings{}, Getenv: func(string) string { return "" },
		Complain: func(err error) { fmt.Fprintln(&out, err) },
		Query: func(_ context.Context, to Target, sql string) error {
			_, err := fmt.Fprintf(to, "%s|", sql)
			return err
		},
		Saved: func() []*queries.Query {
			return []*queries.Query{{Name: "rejections", Params: []queries.Param{{Name: "since"}, {Name: "top"}}}, {Name: "overview"}}
		},
	}, &out
}

func TestStatementsAreRunWhenTheyEnd(t *testing.T) {
	for _, test := range []struct{ typed, want string }{
		{"SELECT 1;", "SELECT 1|"},
		{"SELECT 1; SELECT 2; SELECT\n3;", "SELECT 1|SELECT 2|SELECT\n3|"},
		{"SELECT ';\n';", "SELECT ';\n'|"},
		{"SELECT $$\n;$$\n;", "SELECT $$\n;$$|"},
		{"SELECT 1 -- ;\n;", "SELECT 1 -- ;|"},
		{"/* ;\n*/ SELECT 1;", "/* ;\n*/ SELECT 1|"},
		{"SELECT 1; -- behind\nSELECT 2;", "SELECT 1|SELECT 2|"},
		{"SELECT [1]\n.list_sum();", "SELECT [1]\n.list_sum()|"},
		{"SELECT\n\\q\nSELECT 2;", ""},
		{"-- nothing\n;\n\nSELECT 2;", "SELECT 2|"},
		{"SELECT 1", ""},
	} {
		c, out := quiet(t, strings.Split(test.typed, "\n")...)
		if err := New(c).Run(context.Background()); err != nil {
			t.Error(err)
		}
		if got := strings.TrimRight(out.String(), "\n"); got != test.want {
			t.Errorf("%q runs %q, want %q", test.typed, got, test.want)
		}
	}
}

func TestCompleteCommands(t *testing.T) {
	c, _ := quiet(t)
	p := New(c)
	t.Chdir(t.TempDir())
	for _, path := range []string{"report.sql", "reports/x.csv"} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for line, want := range map[string]string{
		".des":                        ".describe ",
		".DES":                        ".describe ",
		`\timi`:                       `\timing `,
		".describe rej":               "rejections",
		".schema clear":               "clears",
		".mode n":                     "ndjson",
		".mode csv n":                 "",
		".run ":                       "rejections ,overview ",
		".run rej":                    "rejections ",
		".run rejections ":            "since=,top=",
		".run rejections since=7d t":  "top=",
		".timer o":                    "on,off",
		".help .qui":                  ".quit",
		".read rep":                   "report.sql,reports/",
		".read reports/":              "reports/x.csv",
		`\i nothing`:                  "",
		".explain SELECT * FROM reje": "rejections",
		".nope ":                      "",
	} {
		if _, got, _ := p.Complete(line, len([]rune(line))); strings.Join(got, ",") != filepath.FromSlash(want) {
			t.Errorf("%s becomes %q, want %q", line, got, want)
		}
	}
}

// TestCompleteSQL: what comes before the line, and what stands behind the
// cursor, are known.
func TestCompleteSQL(t *testing.T) {
	c, _ := quiet(t)
	p := New(c)
	for _, test := range []struct{ buffer, line, head, word, tail string }{
		{"", "SELECT r.proposed_d| FROM rejections r", "SELECT r.", "proposed_diff", " FROM rejections r"},
		{"FROM rejections r\n", "SELECT r.proposed_d|", "SELECT r.", "proposed_diff", ""},
		{"", "FROM rejections r␤SELECT 'ü', r.proposed_d|", "FROM rejections r␤SELECT 'ü', r.", "proposed_diff", ""},
		{"", "FROM rej|", "FROM ", "rejections", ""},
	} {
		p.buffer = test.buffer
		before, after, _ := strings.Cut(test.line, "|")
		head, words, tail := p.Complete(before+after, len([]rune(before)))
		if diff := cmp.Diff([]string{test.head, test.word, test.tail}, []string{head, strings.Join(words, ","), tail}); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", test.line, diff)
		}
	}
	p.buffer = ""
	_, words, _ := p.Complete("Sel", 3)
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
		if diff := cmp.Diff(want, words(args)); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", args, diff)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"a", "", 1}, {"tabels", "tables", 2}, {"quit", "exit", 2}, {"run", "runs", 1}} {
		if got := distance(test.a, test.b); got != test.want {
			t.Errorf("%s, %s: %d, want %d", test.a, test.b, got, test.want)
		}
	}
}

// TestPager: only what is longer than the screen goes through it, all of it,
// and the terminal is lent to it meanwhile.
func TestPager(t *testing.T) {
	if os.PathSeparator == '\\' {
		t.Skip("the pager of this test is a shell command")
	}
	for _, test := range []struct {
		lines int
		pager string
		paged bool
	}{{9, "cat > paged", false}, {10, "cat > paged", true}, {5000, "cat > paged", true}, {5000, "head -n 1 > paged", true}, {10, "no-such-pager", false}} {
		t.Run(fmt.Sprint(test.lines, test.pager), func(t *testing.T) {
			t.Chdir(t.TempDir())
			text := strings.Repeat("line\n", test.lines)
			c, out := quiet(t, "SELECT 1;")
			c.Getenv = func(name string) string { return map[string]string{"PAGER": test.pager}[name] }
			c.Screen = func() (int, int) { return 80, 10 }
			lent := 0
			c.Lend = func() func() { lent++; return func() { lent-- } }
			c.Query = func(_ context.Context, to Target, _ string) error {
				for line := range strings.Lines(text) {
					if _, err := io.WriteString(to, line); err != nil {
						return err
					}
				}
				return nil
			}
			if err := New(c).Run(context.Background()); err != nil || lent != 0 {
				t.Error(err, lent)
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

// TestCommandsAreWhole: each has what the help shows, and no name is twice.
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
}

// TestExportAndChartWhenThereAre: what nobody provides isn't listed.
func TestExportAndChartWhenThereAre(t *testing.T) {
	c, out := quiet(t, ".export a 'b c'", "SELECT 1;", ".chart", ".chart FROM t")
	if names := Names(c); slices.Contains(names, ".export") || slices.Contains(names, ".chart") {
		t.Errorf("listed: %q", names)
	}
	c.Export = func(_ context.Context, to Target, args []string) error {
		_, err := fmt.Fprintf(to, "export %q|", args)
		return err
	}
	c.Chart = func(_ context.Context, to Target, sql string) error {
		_, err := fmt.Fprintf(to, "chart of %s|", sql)
		return err
	}
	if err := New(c).Run(context.Background()); err != nil {
		t.Error(err)
	}
	if got, want := out.String(), `export ["a" "b c"]|SELECT 1|chart of SELECT 1|chart of FROM t|`+"\n"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

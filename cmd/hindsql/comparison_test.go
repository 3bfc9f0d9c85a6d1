package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hindsql/cmd/hindsql/term"
	"hindsql/queries"
	"hindsql/tables"
)

// compared maps each feature named in docs/comparison.md to a pattern. hindsql has the
// feature if the pattern matches a line of [offered]. A feature is a row of the page's
// table, or X in a sentence "hindsql has no X".
var compared = map[string]string{
	"agents":                        `^hindsql sources:`, // TestPages writes the count
	"SQL of yours":                  `^hindsql --command:`,
	"saved queries with parameters": `^hindsql run:`,
	"refusals":                      `^table rejections:`,
	"their reason":                  `^column rejections.reason:`,
	"interruptions, compactions":    `^table (interruptions|compactions):`,
	"tokens without copies":         `^query tokens-by-`,
	"cost":                          `^hindsql --prices:`,
	"search in full text":           `^function search:`,
	"by meaning":                    meaning,
	"page or TUI":                   `^hindsql (web|prompt|tui):`,
	"MCP":                           `^hindsql mcp:`,
	"Parquet out":                   `^format parquet`,
	"several machines":              `^hindsql (push|pull):`,
	"secrets replaced":              `^hindsql( \w+)* --redact:`,
	"a damaged line":                `^table problems:`,

	"index of words":    `(?i)\bfts\b|\bstemm|bm25|full-text|word index`,
	"search by meaning": meaning,
	"shell history":     `(?i)shell history|\b(bash|zsh|fish)_?history`,
	"commits":           `^(table|function) \w*commits?:`,
	"Postgres":          `(?i)postgres`,
	"SSH":               `^hindsql (push|pull|sync|--root|--lake).*(?i:\bssh\b)`,
}

const meaning = `(?i)by meaning|semantic|embedding|vector|similar`

// offered lists hindsql's features, a line each: commands, flags, formats, tables,
// columns, functions and saved queries, with titles.
func offered(t *testing.T) (lines []string) {
	t.Helper()
	e, _, _ := outside(t)
	add := func(kind, name, title string) {
		lines = append(lines, fmt.Sprintf("%s %s: %s", kind, name, strings.ReplaceAll(title, "\n", " ")))
	}
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		lines = append(lines, c.CommandPath()+": "+strings.ReplaceAll(c.Short+" "+c.Long, "\n", " "))
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			lines = append(lines, fmt.Sprintf("%s --%s: %s", c.CommandPath(), f.Name, f.Usage))
		})
		for _, below := range c.Commands() {
			walk(below)
		}
	}
	walk(rootOf(e))
	for _, name := range term.Names() {
		add("format", name, "")
	}
	for _, table := range tables.Shown() {
		add("table", table.Name, table.Doc)
		for _, c := range table.Columns {
			add("column", table.Name+"."+c.Name, c.Doc)
		}
	}
	for _, m := range tables.Macros() {
		add("function", m.Name, m.Title)
	}
	saved, err := queries.All("")
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range saved {
		add("query", q.Name, q.Title)
	}
	return lines
}

// TestComparisonPage: docs/comparison.md says "–" or "has no" exactly for the features
// missing in hindsql.
func TestComparisonPage(t *testing.T) {
	t.Parallel()
	page := livingPage(t, "comparison.md")
	words, seen := offered(t), map[string]bool{}
	claim := func(feature string, has bool) {
		seen[feature] = true
		pattern, ok := compared[feature]
		if !ok {
			t.Errorf("comparison.md: no line for %q in compared", feature)
			return
		}
		at := slices.IndexFunc(words, regexp.MustCompile(pattern).MatchString)
		switch {
		case at >= 0 && !has:
			t.Errorf("comparison.md says that hindsql has no %s, but there is: %s", feature, words[at])
		case at < 0 && has:
			t.Errorf("comparison.md says that hindsql has %s, but nothing is called %s", feature, pattern)
		}
	}
	for feature, cell := range comparedCells(t, page) {
		claim(feature, cell != "–")
	}
	for _, m := range hasNo.FindAllStringSubmatch(page, -1) {
		claim(strings.TrimSpace(m[1]), false)
	}
	for _, other := range otherNo.FindAllString(page, -1) {
		t.Errorf("comparison.md: %q: say \"hindsql has no X\", which this test looks up", other)
	}
	for feature := range compared {
		if !seen[feature] {
			t.Errorf("comparison.md doesn't speak of %s", feature)
		}
	}
}

var (
	hasNo   = regexp.MustCompile(`hindsql has no ([\w -]+)`)
	otherNo = regexp.MustCompile("hindsql`? (?:\\w+ )?(?:cannot|can't|doesn't|does not|isn't|never|lacks|without|is no|(?:[a-gi-z]\\w+|h[b-z]\\w+) (?:no|nothing)\\b)[^.|]*")
)

// comparedCells returns what the page's table says about hindsql, by feature. A row
// named "a; b" with a cell "c; d" counts as two features.
func comparedCells(t *testing.T, page string) map[string]string {
	t.Helper()
	_, rest, _ := strings.Cut(page, "\n## Feature by feature\n")
	table, _, _ := strings.Cut(rest, "\n## ")
	cells := map[string]string{}
	for line := range strings.Lines(table) {
		parts := strings.Split(line, "|")
		if len(parts) < 3 || strings.TrimSpace(parts[1]) == "" || strings.HasPrefix(parts[1], "---") {
			continue
		}
		features, values := strings.Split(parts[1], ";"), strings.Split(parts[2], ";")
		for i, feature := range features {
			value := values[0]
			if len(features) > 1 && len(values) > i {
				value = values[i]
			}
			cells[strings.TrimSpace(feature)] = strings.TrimSpace(value)
		}
	}
	if len(cells) < 15 {
		t.Fatalf("comparison.md: only %d features found", len(cells))
	}
	return cells
}

package main

import (
	"os"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"hindsql/internal/corpus"
	"hindsql/internal/whole"
	"hindsql/queries"
)

// carded lists the queries that have a card line, at least.
var carded = []string{
	"rejections", "rejected-edits", "after-refusal", "refused-then-done", "refused-then-retried", "interruptions", "sessions", "compactions", "clears", "approvals", "tokens-by-project",
}

// cards returns the built-in queries with a card line.
func cards(t *testing.T) (some []*queries.Query) {
	t.Helper()
	all, err := queries.All("")
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range all {
		if q.Card != nil {
			some = append(some, q)
		}
	}
	for _, name := range carded {
		if !slices.ContainsFunc(some, func(q *queries.Query) bool { return q.Name == name }) {
			t.Errorf("%s has no card line", name)
		}
	}
	return some
}

// TestCards: on real logs, with their long names and texts, an answer keeps the columns
// of the query's card line at each of four widths, and no line is wider.
func TestCards(t *testing.T) {
	t.Parallel()
	home, cache := t.TempDir(), t.TempDir()
	if err := os.CopyFS(home, os.DirFS(corpus.Home(t, "home"))); err != nil {
		t.Fatal(err)
	}
	for _, q := range cards(t) {
		for _, columns := range []int{80, 100, 120, 200} {
			e, stdout, stderr := outside(t, "--store", cache+"/store", "--timezone", "UTC", "--format", "table", "--no-pager", q.Name)
			e.getenv = func(name string) string { return map[string]string{"NO_COLOR": "1", "XDG_CONFIG_HOME": cache}[name] }
			e.home, e.stdoutTerminal, e.width = home, true, columns
			checkCard(t, q, columns, succeed(t, e, stdout, stderr))
		}
	}
}

// TestCardsOfSample is [TestCards] on the sample, at one width. A quick run has one query in four.
func TestCardsOfSample(t *testing.T) {
	t.Parallel()
	for i, q := range cards(t) {
		if i%whole.Or(1, 10) != 0 {
			continue
		}
		checkCard(t, q, 100, answerAt(t, 100, "--format", "table", "--no-pager", q.Name))
	}
}

// checkCard checks that an answer's lines fit, and that it shows the card's columns: in
// a table's head, or as names in blocks.
func checkCard(t *testing.T, q *queries.Query, columns int, got string) {
	t.Helper()
	body, hidden, _ := strings.Cut(got, "\n+ ")
	for line := range strings.Lines(body) {
		if n := utf8.RuneCountInString(strings.Map(visible, line)); n > columns {
			t.Errorf("%s at %d: a line of %d columns: %s", q.Name, columns, n, line)
			break
		}
	}
	away := strings.FieldsFunc(strings.SplitN(hidden, ";", 2)[0], func(r rune) bool { return strings.ContainsRune(":, ", r) })
	for _, name := range q.CardColumns() {
		if slices.Contains(away, name) {
			t.Errorf("%s at %d: column %s is hidden:\n%s", q.Name, columns, name, firstLines(got, 8))
		}
	}
	if !strings.HasPrefix(got, "┌") {
		return
	}
	heads, _ := head(got)
	for _, name := range q.CardColumns() {
		isEmpty := strings.Contains(got, "\nno "+name+": ") // a column of costs without a value, whose absence is said
		if !isEmpty && !slices.ContainsFunc(heads, func(h string) bool { return h != "" && strings.HasPrefix(name, strings.TrimSuffix(h, "…")) }) {
			t.Errorf("%s at %d: no column %s:\n%s", q.Name, columns, name, firstLines(got, 8))
		}
	}
}

// visible drops characters that take no room of their own.
func visible(r rune) rune {
	if r == '\n' || unicode.In(r, unicode.Mn, unicode.Cf) {
		return -1
	}
	return r
}

func firstLines(text string, n int) string {
	lines := strings.SplitAfterN(text, "\n", n+1)
	return strings.Join(lines[:min(n, len(lines))], "")
}

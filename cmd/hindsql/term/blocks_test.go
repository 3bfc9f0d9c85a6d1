package term

import (
	"strings"
	"testing"
	"time"

	"hindsql/internal/result"
)

// refusals are rows with a long name or text in each column.
func refusals() *result.Rows {
	long := strings.Repeat("a long text of several\nlines, ", 400)
	return rowsOf(result.Columns("time VARCHAR", "agent VARCHAR", "project VARCHAR", "tool VARCHAR", "model VARCHAR", "refused VARCHAR", "said VARCHAR", "session VARCHAR", "call_id VARCHAR", "tokens BIGINT"),
		[]any{"2026-02-15 09:57", "claude", "workspace/completion-stanza-manager (4)", "mcp__issue_tracker__create_issue", "claude-opus-4-5-20251101", long, "no: " + long, "0195c2a1:87", "toolu_01AbCdEfGhIjKlMnOpQrStUv", int64(1234567)},
		[]any{"2024-11-02 23:01", "codex", "/home/ada/work/clients/north/shop-api", "shell", "gpt-4o-2024-08-06", "rm -rf build", nil, "7023c83b:2", nil, nil})
}

var refusalCard = &Answer{Noun: "refusal", Card: [][]string{{"time", "tool", "refused"}, {"said"}, {"session"}}, Hidden: []string{"diff"}}

// TestBlocks: on a narrow terminal each row is a block with the card's columns, without
// empty values. Cells are shortened by their kind.
func TestBlocks(t *testing.T) {
	now := time.Date(2026, 11, 26, 0, 0, 0, 0, time.UTC)
	check(t, written(t, "table", refusals(), Options{Width: 80, Answer: refusalCard, Now: now}), `
time         tool                  refused
────────────────────────────────────────────────────────────────────────────────
02-15 09:57  mcp__issue_tracker_…  a long text of several lines, a long text of…
  said no: a long text of several lines, a long text of several lines, a long t…
  session 0195c2a1:87  agent claude  project completion-stanza-manager (4)
2024-11-02   shell                 rm -rf build
  session 7023c83b:2  agent codex  project shop-api
────────────────────────────────────────────────────────────────────────────────
2 refusals
+ 4 columns: model, call_id, tokens …; --format line shows them, and cut texts
`)
}

// TestNoBlocks: without rows there is one line below the head.
func TestNoBlocks(t *testing.T) {
	check(t, written(t, "table", rowsOf(result.Columns("time VARCHAR", "said VARCHAR")), Options{Width: 60, Answer: &Answer{Card: [][]string{{"time"}, {"said"}}}}), `
time
────────────────────────────────────────────────────────────
0 rows
`)
}

// TestCardKept: at every width the card's columns are shown, and no line is wider than
// the terminal. From 100 columns on the answer is a table.
func TestCardKept(t *testing.T) {
	for columns := 40; columns <= 260; columns++ {
		got := written(t, "table", refusals(), Options{Width: columns, Answer: refusalCard})
		for _, want := range []string{"time", "tool", "refused", "said", "session", "rm -rf build", "7023c83b:2", "0195c2a1:87", "…"} {
			if !strings.Contains(got, want) {
				t.Fatalf("%d columns: no %s\n%s", columns, want, got)
			}
		}
		for line := range strings.Lines(got) {
			if n := width(strings.TrimSuffix(line, "\n")); n > columns {
				t.Fatalf("%d columns: a line of %d\n%s", columns, n, got)
			}
		}
		if isTable := strings.HasPrefix(got, "┌"); isTable != (columns >= 100) {
			t.Fatalf("%d columns: a table is %v\n%s", columns, isTable, got)
		}
		if strings.Contains(got, "⏎") {
			t.Fatalf("%d columns: a saved query's text has signs for line ends\n%s", columns, got)
		}
	}
}

// TestBrief: the short forms of cells.
func TestBrief(t *testing.T) {
	now := time.Date(2026, 11, 26, 0, 0, 0, 0, time.UTC)
	for _, test := range [][3]string{
		{"time", "2026-02-15 09:57", "02-15 09:57"}, {"when", "2025-11-20 09:57", "2025-11-20"}, {"time", "2026-02-15", "2026-02-15"},
		{"project", "workspace/cli (4)", "cli (4)"}, {"project", `C:\work\shop`, "shop"}, {"project", "/", "/"}, {"project", "(no project)", "(no project)"},
		{"model", "claude-opus-4-20250514", "claude-opus-4"}, {"usual_model", "gpt-4o-2024-08-06", "gpt-4o"}, {"model", "gpt-5.1", "gpt-5.1"},
		{"tool_use_id", "toolu_01AbCd", "toolu_01"}, {"uuid", "0195c2a1-aaaa", "0195c2a1"}, {"refused", "workspace/cli", "workspace/cli"},
	} {
		if got := abbreviate(test[0], test[1], now); got != test[2] {
			t.Errorf("%s %s: %s, want %s", test[0], test[1], got, test[2])
		}
	}
}

// TestSharedNames: a project or model stays whole where another one of the table has the
// same short form.
func TestSharedNames(t *testing.T) {
	rows := rowsOf(result.Columns("project VARCHAR", "model VARCHAR", "tokens BIGINT", "said VARCHAR"),
		[]any{"workspace/cli", "claude-opus-4-20250514", int64(2), "no"},
		[]any{"devenv/cli", "claude-opus-4", int64(1), "no"},
		[]any{"devenv/cli", "claude-opus-4", int64(1), "no"},
		[]any{"work/shop-api", "claude-opus-4-5-20251101", int64(3), "no"})
	check(t, written(t, "table", rows, Options{Width: 70, Answer: &Answer{Card: [][]string{{"project", "model", "tokens"}, {"said"}}}}), `
project        model                   tokens
──────────────────────────────────────────────────────────────────────
workspace/cli  claude-opus-4-20250514       2
  said no
devenv/cli     claude-opus-4                1
  said no
devenv/cli     claude-opus-4                1
  said no
shop-api       claude-opus-4-5              3
  said no
──────────────────────────────────────────────────────────────────────
4 rows
`)
}

// TestToCopy: a rule is whole on a card, and a name breaks after its underscore.
func TestToCopy(t *testing.T) {
	rule := `prefix_rule(pattern=["npm", "run", "format"], decision="allow")`
	rows := func() *result.Rows {
		return rowsOf(result.Columns("part VARCHAR", "estimated_usd DOUBLE", "prefix_rule VARCHAR", "said VARCHAR"),
			[]any{"npm run format:* and a text that takes two lines of a narrow column", 9.8, rule, strings.Repeat("a long text ", 9)},
			[]any{"ls", 11.25, nil, nil})
	}
	answer := &Answer{Card: [][]string{{"part", "estimated_usd"}, {"prefix_rule"}, {"said"}}}
	for columns := 100; columns <= 130; columns++ {
		got := written(t, "table", rows(), Options{Width: columns, Answer: answer})
		if strings.HasPrefix(got, "┌") && (strings.Contains(got, `"format"…`) || !strings.Contains(got, `decision="allow")`)) {
			t.Errorf("%d columns: the rule is cut:\n%s", columns, got)
		}
	}
	check(t, written(t, "table", rowsOf(result.Columns("agent VARCHAR", "estimated_usd DOUBLE", "tokens BIGINT"), []any{"claude", 9.8, int64(84435044)}), Options{Width: 36, Answer: &Answer{}}), `
┌────────┬────────────┬────────────┐
│ agent  │ estimated_ │     tokens │
│        │        usd │            │
├────────┼────────────┼────────────┤
│ claude │       9.80 │ 84,435,044 │
└────────┴────────────┴────────────┘
1 row
`)
}

// TestTableRunsOn: a table for a file aligns columns up to 60 wide. Longer cells are
// whole, and take no room in other rows.
func TestTableRunsOn(t *testing.T) {
	long := strings.Repeat("x", 200)
	got := strings.Split(written(t, "table", rowsOf(result.Columns("a VARCHAR", "b VARCHAR"), []any{long, "1"}, []any{"short", "2"}), Options{}), "\n")
	if want := "│ " + long + " │ 1       │"; got[4] != want {
		t.Errorf("%s, want %s", got[4], want)
	}
	if want := "│ short" + strings.Repeat(" ", 55) + " │ 2       │"; got[5] != want {
		t.Errorf("%s, want %s", got[5], want)
	}
}

// TestPagesCut: Markdown and HTML cut a saved query's long texts and say so; CSV, and
// exact results, have them whole.
func TestPagesCut(t *testing.T) {
	long := strings.Repeat("a long text, ", 100)
	rows := func() *result.Rows {
		return rowsOf(result.Columns("said VARCHAR", "proposed_diff VARCHAR", "empty VARCHAR"), []any{long, "--- a\n+++ b\n" + long, nil})
	}
	for _, format := range []string{"markdown", "html"} {
		got := written(t, format, rows(), Options{Answer: &Answer{}})
		if strings.Count(got, long) != 1 || !strings.Contains(got, "…[300 of 1,300 characters]") || !strings.Contains(got, cutOnPage) || strings.Contains(got, "NULL") {
			t.Errorf("%s:\n%s", format, got)
		}
		if got := written(t, format, rows(), Options{}); strings.Count(got, long) != 2 || strings.Contains(got, cutOnPage) {
			t.Errorf("%s of SQL:\n%s", format, got)
		}
	}
	if got := written(t, "csv", rows(), Options{Answer: &Answer{}}); strings.Count(got, long) != 2 {
		t.Error(got)
	}
}

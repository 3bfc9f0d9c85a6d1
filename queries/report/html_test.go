package report_test

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"hindsql/internal/chart"
	"hindsql/internal/result"
	"hindsql/queries/report"
)

// hostile returns a document in which every text tries to break out of its place.
func hostile() *report.Document {
	const evil = `</title></svg><script>alert(1)</script>"'$1&|*_`
	day := func(n int) time.Time { return time.Date(2026, 10, n, 0, 0, 0, 0, time.UTC) }
	set := func(types string, rows ...[]any) result.Set {
		r := result.Set{Rows: rows}
		for i, typ := range strings.Fields(types) {
			r.Columns = append(r.Columns, result.Column{Name: fmt.Sprint(evil, i), Type: typ})
		}
		return r
	}
	rows := set("VARCHAR BIGINT", []any{evil, int64(3)}, []any{nil, nil}, []any{evil + "\n" + evil, int64(-12345)})
	return &report.Document{
		Name: "x", Title: evil, Text: evil + "\n\n" + evil, Period: report.Period{Since: day(1), Until: day(8)}, Alert: &rows,
		Parts: []report.Part{
			{Title: evil, Show: report.Table, Set: rows},
			{Title: evil, Show: report.Bars, Set: rows},
			{Title: evil, Show: report.Heat, Set: set("VARCHAR VARCHAR DOUBLE", []any{evil, evil, 1.5}, []any{"b", nil, nil})},
			{Title: evil, Show: report.Line, Set: set("DATE DOUBLE", []any{day(1), 1.0}, []any{day(2), nil}, []any{day(3), 1e9}, []any{nil, 1.0})},
			{Title: evil, Show: report.Line, Set: set("DATE DOUBLE", []any{day(1), 0.0})},
			{Title: evil, Show: report.Line, Set: set("DATE DOUBLE", []any{day(1), nil})},
			{Title: evil, Show: report.Number, Set: set("BIGINT", []any{nil}), Before: set("BIGINT", []any{int64(2)})},
			{Title: evil, Show: report.Line, Set: set("DATE DOUBLE")},
			{Title: evil, Show: report.Bars, Chart: &chart.Declaration{Kind: chart.Bar, Value: evil + "0", Ranges: []float64{1, 10}}, Set: set("DOUBLE", []any{1.0}, []any{math.NaN()}, []any{1e300}, []any{nil})},
			{Title: evil, Show: report.Bars, Set: set("VARCHAR DOUBLE", []any{evil, math.Inf(1)}, []any{evil, -3.0})}, // a notice names the label
			{Title: evil, Show: report.Table, Empty: evil, Set: set("VARCHAR")},
			{Title: evil, Show: report.Table, Set: result.Set{Columns: result.Columns("session VARCHAR"), Rows: [][]any{{evil}, {"0123456789"}, {"0123456798"}, {nil}}}},
		},
	}
}

func TestHTMLEscapes(t *testing.T) {
	var b strings.Builder
	if err := hostile().HTML(&b); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	for _, bad := range []string{"<script", "</title></svg>", `"'`, "ZgotmplZ"} {
		if strings.Contains(page, bad) {
			i := strings.Index(page, bad)
			t.Errorf("%q is in the page: %s", bad, page[max(0, i-80):min(len(page), i+80)])
		}
	}
	if opened, closed := strings.Count(page, "<svg"), strings.Count(page, "</svg>"); opened != closed {
		t.Errorf("%d drawings begin, %d end", opened, closed)
	}
	// Each drawing except bars has a title and a description.
	drawings := strings.Count(page, `role="img"`)
	if drawings != 3 || strings.Count(page, "<title id=") != drawings || strings.Count(page, "<desc id=") != drawings {
		t.Errorf("%d drawings, %d names, %d descriptions; want 3 of each", drawings, strings.Count(page, "<title id="), strings.Count(page, "<desc id="))
	}
	if !strings.Contains(page, `--id: 9ch`) {
		t.Error("ids that are alike in 8 letters are not told apart")
	}
	ids := map[string]bool{}
	for _, m := range regexp.MustCompile(` id="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		if ids[m[1]] {
			t.Errorf("two elements have the id %s", m[1])
		}
		ids[m[1]] = true
	}
	if path := os.Getenv("HINDSQL_HOSTILE_PAGE"); path != "" { // for a validator
		if err := os.WriteFile(path, []byte(page), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestMarkdownEscapes(t *testing.T) {
	var b strings.Builder
	if err := hostile().Markdown(&b); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		cells := regexp.MustCompile(`[^\\]\|`).FindAllString(line, -1)
		if strings.HasPrefix(line, "| &lt;") && strings.Contains(line, "BIGINT") && len(cells) != 2 {
			t.Errorf("%d cells: %s", len(cells), line)
		}
		if strings.HasPrefix(line, "|") && strings.Contains(line, "<script") {
			t.Errorf("a tag: %s", line)
		}
	}
}

package mcp

import (
	"strings"
	"testing"

	"hindsql/internal/result"
	"hindsql/internal/words"
)

// TestSavedTextsAreShort: an answer with long texts to "rejections top=5" has at most 1.3
// times the characters that it had when the query itself cut the plan at 120 and the
// reason at 200. The model gets all of a text with cell_chars.
func TestSavedTextsAreShort(t *testing.T) {
	t.Parallel()
	plan, reason := strings.Repeat("1. A step of the plan\n   in words of mine, ", 210), strings.Repeat("no, not like this. ", 40)
	columns := result.Columns("time VARCHAR", "project VARCHAR", "tool VARCHAR", "refused VARCHAR", "said VARCHAR", "session VARCHAR", "agent VARCHAR")
	chars := func(said int, refused, why string) (n int) {
		p := page{bounds: bounds{Rows: 5, Chars: usualChars, Cell: usualCell, Said: said}}
		row := []any{"2026-02-12 13:07", "workspace/cli", "ExitPlanMode", refused, why, "7aa4bfa8-1d2e-4f5a-9b6c-0d1e2f3a4b5c:97", "claude"}
		set := result.Set{Columns: columns, Rows: [][]any{row, row, row, row, row}}
		if err := p.addRows(set.Read()); err != nil {
			t.Fatal(err)
		}
		for i := range p.fits {
			n += p.size(&p.fits[i])
		}
		return n + p.frame()
	}
	line := func(text string, most int) string { return strings.TrimSuffix(words.Line(text, most+1), "…") }
	before, now := chars(0, line(plan, 120), line(reason, 200)), chars(usualSaid, plan, reason)
	if float64(now) > 1.3*float64(before) {
		t.Errorf("%d characters, %.2f times as many as %d", now, float64(now)/float64(before), before)
	}
	if all := chars(0, plan, reason); all < 2*now {
		t.Errorf("with cell_chars %d characters, as few as %d without", all, now)
	}
}

package html_test

import (
	"strings"
	"testing"

	"hindsql/internal/chart"
	"hindsql/internal/result"
	"hindsql/queries/html"
)

// TestLongTexts: tables and drawings stay small with long texts, and say how much of a
// cell is left out.
func TestLongTexts(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 1_000_000)
	text, number := result.Column{Name: long, Type: "VARCHAR"}, result.Column{Name: "n", Type: "BIGINT"}
	table := &result.Set{Columns: []result.Column{text, number}, Rows: [][]any{{long, int64(3)}, {"\u202ey", int64(1)}}}
	grid := &result.Set{Columns: []result.Column{text, text, number}, Rows: [][]any{{long, long + "y", int64(3)}, {"a", "\u202eb", int64(3)}}}
	data, err := chart.Read(table.Read(), nil)
	if err != nil {
		t.Fatal(err)
	}
	bars, err := html.Chart(table, data, html.ChartOptions{ID: "c"})
	if err != nil {
		t.Fatal(err)
	}
	for what, page := range map[string]string{"table": string(html.Table(table, html.TableOptions{})), "grid": string(html.Table(html.Grid(grid), html.TableOptions{})), "bars": string(bars)} {
		if len(page) > 60_000 || !strings.Contains(page, " characters]") || strings.Contains(page, "\u202e") {
			t.Errorf("%s: %d bytes, says what is left out: %t, turns text: %t", what, len(page), strings.Contains(page, " characters]"), strings.Contains(page, "\u202e"))
		}
	}
}

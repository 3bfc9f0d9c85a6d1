package html_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"hindsql/queries/html"
)

func day(t *testing.T, text string, rows int64) html.Day {
	t.Helper()
	at, err := time.Parse(time.DateOnly, text)
	if err != nil {
		t.Fatal(err)
	}
	return html.Day{Time: at, Rows: rows}
}

func yearOf(last time.Time, days ...html.Day) *html.Year {
	return &html.Year{ID: "y", Noun: "message", Last: last, Days: days, Known: days[0].Time, Link: func(at time.Time) string { return "/?during=" + at.Format(time.DateOnly) }}
}

// TestYearBegins checks that a year begins on a Monday, and has its last day in the last
// of its weeks.
func TestYearBegins(t *testing.T) {
	last := day(t, "2026-11-23", 0).Time // a Monday
	for range 8 {
		first := yearOf(last, html.Day{Time: last, Rows: 1}).First()
		if days := int(last.Sub(first).Hours() / 24); first.Weekday() != time.Monday || days < 7*(html.Weeks-1) || days >= 7*html.Weeks {
			t.Errorf("the year until %s begins on %s, %d days earlier", last.Format("Mon 2006-01-02"), first.Format("Mon 2006-01-02"), days)
		}
		last = last.AddDate(0, 0, 1)
	}
}

// TestYear checks each day of a year: days with rows are links, days of which no rows
// are loaded look different from days without rows, and the tab key stops once.
func TestYear(t *testing.T) {
	y := yearOf(day(t, "2026-11-26", 0).Time, day(t, "2026-02-03", 7), day(t, "2026-11-20", 1), day(t, "2026-11-25", 1234))
	y.Here = day(t, "2026-11-20", 0).Time
	page := string(y.HTML())
	tables := strings.SplitAfter(page, "</table>")
	if len(tables) != 4 {
		t.Fatalf("%d tables, want two halves and the numbers", len(tables)-1)
	}
	drawn := tables[0] + tables[1]
	for name, want := range map[string]int{
		"<td class=":           7 * html.Weeks,
		`<td class="off"`:      64, // from 2025-12-01 on
		`<td class=""><i>`:     3,  // days to come
		`<a href="/?during=`:   3,
		`tabindex="-1"`:        2,
		`aria-current="date"`:  1,
		`scope="row"`:          14,
		": no message":         0,
		": 0 messages":         7*html.Weeks - 64 - 3 - 3,
		"Tue 2026-02-03: 7 m":  1,
		"1,234 messages":       1,
		"Fri 2026-11-20: 1 me": 1,
	} {
		if got := strings.Count(drawn, name); got != want {
			t.Errorf("%d times %s, want %d", got, name, want)
		}
	}
	if stop := regexp.MustCompile(`<a href="/\?during=([^"]*)" title="[^"]*" aria-current`).FindStringSubmatch(drawn); stop == nil || stop[1] != "2026-11-20" {
		t.Errorf("the tab key stops at %v", stop)
	}
	if numbers := tables[2]; strings.Index(numbers, "2026-11-25") > strings.Index(numbers, "2026-02-03") || strings.Count(numbers, "<a href") != 3 {
		t.Errorf("the numbers aren't the three days, the newest first: %s", numbers)
	}
	if strings.Contains(page, "style=") {
		t.Error("the pages' policy forbids style attributes")
	}
}

// TestYearOutside checks that a year ignores days outside, and shows none as unknown if
// it begins later than the first known day.
func TestYearOutside(t *testing.T) {
	y := yearOf(day(t, "2026-11-26", 0).Time, day(t, "2024-02-03", 9), day(t, "2026-11-26", 5), day(t, "2026-11-27", 6))
	page := string(y.HTML())
	if n := len(y.Shown()); n != 1 || strings.Contains(page, "2024") || strings.Contains(page, "2026-11-27") || strings.Contains(page, `"off"`) {
		t.Errorf("%d days: %s", n, page)
	}
}

// TestYearShades checks that each day's colour is that whose numbers in the scale hold
// the day's, and that the most is the darkest, however many different numbers there are.
func TestYearShades(t *testing.T) {
	for _, numbers := range [][]int64{{5}, {5, 5, 5}, {1, 1, 1, 1, 1, 1, 1, 1000}, {1, 2, 3, 4}, {9, 8, 7, 6, 5, 4, 3, 2, 1, 100, 200}} {
		t.Run(fmt.Sprint(numbers), func(t *testing.T) {
			last := day(t, "2026-11-26", 0).Time
			var days []html.Day
			var most int64
			for i, n := range numbers {
				days = append(days, html.Day{Time: last.AddDate(0, 0, i-len(numbers)+1), Rows: n})
				most = max(most, n)
			}
			page := string(yearOf(last, days...).HTML())
			ranges := map[string][2]int64{}
			for _, m := range regexp.MustCompile(`<li><i class="(h[1-5])"></i>([\d,–]+)</li>`).FindAllStringSubmatch(page, -1) {
				var r [2]int64
				if n, _ := fmt.Sscanf(strings.ReplaceAll(strings.ReplaceAll(m[2], ",", ""), "–", " "), "%d %d", &r[0], &r[1]); n == 1 {
					r[1] = r[0]
				}
				ranges[m[1]] = r
			}
			if ranges["h5"][1] != most {
				t.Errorf("the darkest is %v, the most %d", ranges["h5"], most)
			}
			cells := regexp.MustCompile(`<td class="(h[1-5])"><a href="[^"]*" title="[^:]*: ([\d,]+) `).FindAllStringSubmatch(page, -1)
			if len(cells) != len(numbers) {
				t.Fatalf("%d cells, want %d", len(cells), len(numbers))
			}
			for _, m := range cells {
				var n int64
				_, _ = fmt.Sscan(strings.ReplaceAll(m[2], ",", ""), &n)
				if r := ranges[m[1]]; n < r[0] || n > r[1] {
					t.Errorf("%d has the colour of %v", n, r)
				}
			}
		})
	}
}

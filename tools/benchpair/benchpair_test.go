package main

import (
	"bufio"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// used makes usages of these milliseconds of processor time.
func used(ms ...int) []usage {
	var list []usage
	for _, n := range ms {
		list = append(list, usage{cpu: time.Duration(n) * time.Millisecond})
	}
	return list
}

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		list []float64
		want float64
	}{{nil, 0}, {[]float64{3}, 3}, {[]float64{9, 1, 2}, 2}, {[]float64{4, 1, 3, 2}, 2.5}} {
		if got := median(c.list); got != c.want {
			t.Errorf("median(%v) = %v, want %v", c.list, got, c.want)
		}
	}
}

// TestRatioIsOfPairs checks that figures of the same pair are compared: the ratio of the
// medians would be 1.
func TestRatioIsOfPairs(t *testing.T) {
	if got, ok := ratio(used(10, 30, 20), used(20, 10, 40), cpu); got != 0.5 || !ok {
		t.Errorf("ratio = %v, %v, want 0.5", got, ok)
	}
	for _, absent := range [][]usage{nil, used(1), used(1, 0, 1)} {
		if got, ok := ratio(used(1, 1, 1), absent, cpu); ok {
			t.Errorf("ratio to %v = %v, want none", absent, got)
		}
	}
}

func TestStatement(t *testing.T) {
	const text = `-- x: a title
--
-- takes since project
-- param top INTEGER = 50   number of rows
-- param by VARCHAR = 'week' {day,week}   what a row stands for
-- param kinds VARCHAR[] = ['a']
SELECT $top, $topmost, $by, $kinds WHERE $since IS NULL OR $project = 'a';
`
	const want = `SELECT CAST((50) AS INTEGER), $topmost, CAST(('week') AS VARCHAR), CAST((['a']) AS VARCHAR[]) ` +
		`WHERE CAST(NULL AS TIMESTAMPTZ) IS NULL OR CAST(NULL AS VARCHAR) = 'a';`
	if got, ok := statement(text, ""); got != want || !ok {
		t.Errorf("statement = %s, %v\nwant %s", got, ok, want)
	}
	if got, ok := statement(text, "'2026-08-01'"); !ok || !strings.Contains(got, "WHERE CAST('2026-08-01' AS TIMESTAMPTZ) IS NULL") {
		t.Errorf("statement since = %s, %v", got, ok)
	}
	if _, ok := statement("-- x: a title\nSELECT 1", "'2026-08-01'"); ok {
		t.Error("a query without since has one")
	}
}

func TestWaitsForMarks(t *testing.T) {
	w := &waits{from: bufio.NewReaderSize(strings.NewReader("a mmark-7 mark-12 b mark-1"), 16), mark: []byte("mark-12")}
	if err := w.next(); err != nil {
		t.Fatal(err)
	}
	if rest, _ := w.from.Peek(3); string(rest) != " b " {
		t.Errorf("the rest begins with %q", rest)
	}
	if err := w.next(); err == nil {
		t.Error("a script that ended early has no error")
	}
}

// TestRows checks names: ROWS and marks find rows by them.
func TestRows(t *testing.T) {
	for _, big := range []bool{false, true} {
		list, err := choose(measurements(), "", big)
		if err != nil {
			t.Fatal(err)
		}
		r := report{base: markedBase + "0", big: big}
		for _, m := range list {
			if r.find(m.name) != nil {
				t.Errorf("two measurements are called %s", m.name)
			}
			one := figures{}
			for _, row := range m.rows {
				one[row.key] = usage{time.Second, time.Second, 1e9}
			}
			r.results = append(r.results, results(m, []pair{{base: one, today: one, third: &usage{time.Second, time.Second, 0}}})...)
		}
		for i := range r.results {
			for k, l := range r.results[i].mark.limits {
				if _, most, ok := l(&r, &r.results[i]); !ok || most <= 0 {
					t.Errorf("%s: limit %d of mark %q knows no figure", r.results[i].title, k+1, r.results[i].mark.text)
				}
			}
		}
	}
	if _, err := choose(measurements(), "nonesuch", false); err == nil {
		t.Error("a row that doesn't exist is chosen")
	}
}

func TestVerdict(t *testing.T) {
	of := &result{row: row{mark: marked("", ofBase(0.5), cpuMS(15))}, base: used(20), today: used(12)}
	for _, c := range []struct{ base, want string }{{"aac74961", "no: 0.60 > 0.50"}, {"fa259cd6", "–"}} {
		if got := (&report{base: c.base}).verdict(of); got != c.want {
			t.Errorf("against %s: %s, want %s", c.base, got, c.want)
		}
	}
	of.today = used(10)
	if got := (&report{base: "aac74961"}).verdict(of); got != "yes" {
		t.Errorf("%s, want yes", got)
	}
}

func TestDearest(t *testing.T) {
	var pairs []pair
	for _, ms := range [][3]int{{90, 120, 10}, {80, 500, 10}, {900, 130, 10}} {
		parts := used(ms[:]...)
		pairs = append(pairs, pair{today: figures{"a": parts[0], "b": parts[1], "c": parts[2]}})
	}
	if key, over := chosen(row{each: dearest}, pairs); key != "b" || !slices.Equal(over, []string{"b 130"}) {
		t.Errorf("dearest: %s, above the mark: %v", key, over)
	}
	if key, _ := chosen(row{each: typical}, pairs); key != "a" {
		t.Errorf("the middle one is %s", key)
	}
}

func TestTablesArePlaced(t *testing.T) {
	page := "# Page\n\n" + tables + "\n\ntext\n\n## Next\n"
	for _, step := range []struct{ heading, table, want string }{
		{"### Against a", "one", "text\n\n### Against a\n\none\n\n## Next\n"},
		{"### Against b", "two", "text\n\n### Against a\n\none\n\n### Against b\n\ntwo\n\n## Next\n"},
		{"### Against a", "new", "text\n\n### Against a\n\nnew\n\n### Against b\n\ntwo\n\n## Next\n"},
	} {
		var err error
		if page, err = placed(page, step.heading, step.table+"\n"); err != nil {
			t.Fatal(err)
		}
		if want := "# Page\n\n" + tables + "\n\n" + step.want; page != want {
			t.Errorf("page:\n%s\nwant:\n%s", page, want)
		}
	}
	if _, err := placed("# Page\n", "### Against a", "one"); err == nil {
		t.Error("a page without the heading takes a table")
	}
}

func TestProcessTime(t *testing.T) {
	used, err := clocks(os.Getpid())
	if err != nil {
		t.Skip(err) // no Linux
	}
	if used.cpu <= 0 || used.memory < 1e6 {
		t.Errorf("this process used %v and %d bytes", used.cpu, used.memory)
	}
}

package main

import (
	"bufio"
	"os"
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

// TestRows checks names: ROWS finds rows by them.
func TestRows(t *testing.T) {
	for _, big := range []bool{false, true} {
		known := map[string]bool{}
		for _, m := range measurements(big) {
			if known[m.name] {
				t.Errorf("two measurements are called %s", m.name)
			}
			known[m.name] = true
		}
	}
	list, err := choose(measurements(false), "version,mcp-")
	if err != nil || len(list) != 5 {
		t.Errorf("version,mcp- chooses %d rows, %v", len(list), err)
	}
	if _, err := choose(measurements(false), "nonesuch"); err == nil {
		t.Error("a row that doesn't exist is chosen")
	}
}

// TestMarkdown: a row stands for each part, and a part that a commit lacks has no ratio.
func TestMarkdown(t *testing.T) {
	both, today := used(20, 12), used(7)
	pairs := []pair{{figures{"old": both[0]}, figures{"old": both[1], "new": today[0]}}}
	const want = "| page, new | – | 7.00 / 0.00 / – | – | – | – |\n| page, old | 20.0 / 0.00 / – | 12.0 / 0.00 / – | 0.60 | – | – |\n"
	if got := markdown(measurement{title: "page"}, pairs); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
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

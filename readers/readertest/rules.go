package readertest

import (
	"bytes"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"

	"hindsql/tables"
)

// rule is a demand on every reader.
type rule struct {
	name   string
	why    string  // a sentence with the demand and its reason
	shapes []Shape // shapes of logs with this rule; nil means all
	slow   bool    // skipped by go test -short, and checked on one log only
	check  func(*log) error
}

// lineByLine lists the shapes in which a line is a record.
var lineByLine = []Shape{Lines, Journal}

func rules() []rule {
	return slices.Concat(rowRules(), cutRules(), garbleRules(), bytesRules(), ioRules(), partRules(), countRules(), stopRules())
}

// asRead returns an error if the rows differ from those of the untouched log. ignore
// lists columns to skip.
func (l *log) asRead(got read, ignore ...string) error {
	return sameRows(l.load(l.data).rows, got.rows, ignore...)
}

// sameRows compares rows, without the ignored columns. If any column is ignored, it
// skips table sources, which holds the file's size. If line is ignored, it also skips
// table line_numbers, which has only lines.
func sameRows(want, got map[string][]tables.Row, ignore ...string) error {
	for _, t := range tables.All() {
		if len(ignore) > 0 && t.Name == "sources" || t.Name == "neighbours" {
			continue // a log in memory has no neighbours
		}
		if t.Name == "line_numbers" && slices.Contains(ignore, "line") {
			continue
		}
		w, g := without(want[t.Name], ignore), without(got[t.Name], ignore)
		if !reflect.DeepEqual(w, g) {
			return fmt.Errorf("rows of %s changed (-before +after):\n%s", t.Name, short(cmp.Diff(w, g)))
		}
	}
	return nil
}

func without(rows []tables.Row, columns []string) []tables.Row {
	kept := make([]tables.Row, len(rows))
	for i, row := range rows {
		kept[i] = row
		if len(columns) > 0 {
			kept[i] = maps.Clone(row)
			for _, c := range columns {
				delete(kept[i], c)
			}
		}
	}
	return kept
}

func short(diff string) string {
	if len(diff) > 3000 {
		return diff[:3000] + "…"
	}
	return diff
}

// panicked returns the reader's panic, which readers.Load turns into a problem.
func panicked(events []tables.Event) error {
	for _, e := range events {
		if p, ok := e.(*tables.Problem); ok && strings.HasPrefix(p.What, "reader panicked") {
			return fmt.Errorf("%s", p.What)
		}
	}
	return nil
}

func problemsIn(events []tables.Event) int {
	n := 0
	for _, e := range events {
		if _, ok := e.(*tables.Problem); ok {
			n++
		}
	}
	return n
}

// physicalLines returns the lines of data, each with its newline.
func physicalLines(data []byte) [][]byte {
	split := bytes.SplitAfter(data, []byte("\n"))
	if len(split[len(split)-1]) == 0 {
		split = split[:len(split)-1]
	}
	return split
}

// some picks at most n numbers from 0 to count-1, evenly spaced.
func some(count, n int) []int {
	var picked []int
	for i := range min(count, n) {
		picked = append(picked, i*count/min(count, n))
	}
	return picked
}

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

// rule is one thing that the suite asks of every reader.
type rule struct {
	name   string
	why    string  // a sentence: what is asked, and why
	shapes []Shape // of logs that it holds for; nil: all
	slow   bool    // left out by go test -short, and checked on one log only
	check  func(*log) error
}

// lineByLine are the shapes in which a line is a record.
var lineByLine = []Shape{Lines, Journal}

func rules() []rule {
	return slices.Concat(rowRules(), cutRules(), garbleRules(), bytesRules(), ioRules(), partRules(), countRules(), stopRules())
}

// asRead says how rows differ from those that the untouched log gives, where
// they are otherwise than asked.
func (l *log) asRead(got read, ignore ...string) error {
	return sameRows(l.load(l.data).rows, got.rows, ignore...)
}

// sameRows compares rows, but for some columns. The table sources, which tells
// of the file's size, is left out when any column is; line_numbers, which is
// about nothing else, when line is.
func sameRows(want, got map[string][]tables.Row, ignore ...string) error {
	for _, t := range tables.All() {
		if len(ignore) > 0 && t.Name == "sources" || t.Name == "neighbours" {
			continue // a log in memory has no neighbours that could change
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

// panicked gives the reader's panic, which readers.Load makes a problem of.
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

// physicalLines are the lines of data, each with its newline.
func physicalLines(data []byte) [][]byte {
	split := bytes.SplitAfter(data, []byte("\n"))
	if len(split[len(split)-1]) == 0 {
		split = split[:len(split)-1]
	}
	return split
}

// some picks at most n of the numbers from 0 to count-1, evenly.
func some(count, n int) []int {
	var picked []int
	for i := range min(count, n) {
		picked = append(picked, i*count/min(count, n))
	}
	return picked
}

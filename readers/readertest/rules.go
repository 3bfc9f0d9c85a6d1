package readertest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hindsql/internal/whole"
	"hindsql/readers"
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

// checkSameRows returns an error if the rows differ from those of the untouched log. ignore
// lists columns to skip.
func (l *log) checkSameRows(got read, ignore ...string) error {
	return compareRows(l.load(l.data).rows, got.rows, ignore...)
}

// compareRows compares rows, without the ignored columns. If any column is ignored, it
// skips table sources, which holds the file's size. If line is ignored, it also skips
// table line_numbers, which has only lines.
func compareRows(want, got map[string][]tables.Row, ignore ...string) error {
	for _, t := range tables.All() {
		if len(ignore) > 0 && t.Name == "sources" || t.Name == "neighbours" {
			continue // a log in memory has no neighbours
		}
		if t.Name == "line_numbers" && slices.Contains(ignore, "line") {
			continue
		}
		w, g := dropColumns(want[t.Name], ignore), dropColumns(got[t.Name], ignore)
		if !reflect.DeepEqual(w, g) {
			return fmt.Errorf("rows of %s changed (-before +after):\n%s", t.Name, truncate(cmp.Diff(w, g)))
		}
	}
	return nil
}

func dropColumns(rows []tables.Row, columns []string) []tables.Row {
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

func truncate(diff string) string {
	if len(diff) > 3000 {
		return diff[:3000] + "…"
	}
	return diff
}

// panicOf returns the reader's panic, which readers.Load turns into a problem.
func panicOf(events []tables.Event) error {
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

// spread picks at most n numbers from 0 to count-1, evenly spaced. A quick run picks a
// quarter.
func spread(count, n int) []int {
	n = whole.Or(n, (n+3)/4)
	var picked []int
	for i := range min(count, n) {
		picked = append(picked, i*count/min(count, n))
	}
	return picked
}

// checkCounts counts the records of the log with encoding/json, and compares the number
// with the reader's counts. A reader may save any number of records from a damaged
// line. So for a damaged line, checkCounts expects only one problem or more.
func checkCounts(l *log) error {
	records, damaged := 0, map[int64]bool{}
	for i, line := range physicalLines(bytes.TrimPrefix(l.data, []byte("\xEF\xBB\xBF"))) {
		if n, ok := objects(line); ok {
			records += n
		} else {
			damaged[int64(i+1)] = true
		}
	}
	counted := 0
	for _, e := range l.load(l.data).events {
		switch e := e.(type) {
		case *tables.RecordKind:
			if !strings.Contains(e.Kind, "content/") { // a content/ kind counts parts of records
				counted += int(e.Lines)
			}
		case *tables.Problem:
			delete(damaged, e.Line)
		}
	}
	if counted < records || len(damaged) == 0 && counted > records && !l.hasDamage() {
		return fmt.Errorf("%d records were counted by kind, the log holds %d", counted, records)
	}
	if len(damaged) > 0 {
		return fmt.Errorf("damaged lines without a problem: %v", damaged)
	}
	return nil
}

func (l *log) hasDamage() bool {
	for _, line := range physicalLines(bytes.TrimPrefix(l.data, []byte("\xEF\xBB\xBF"))) {
		if _, ok := objects(line); !ok {
			return true
		}
	}
	return false
}

// objects counts the JSON objects on a line. objects returns false if the line holds
// other text.
func objects(line []byte) (int, bool) {
	decoder := json.NewDecoder(bytes.NewReader(line))
	for n := 0; ; n++ {
		var object map[string]json.RawMessage
		switch err := decoder.Decode(&object); {
		case err == io.EOF:
			return n, true
		case err != nil || object == nil:
			return 0, false
		}
	}
}

// recordsAreTrue compares the facts that the reader declares in Records with what the
// rows of all samples show.
func recordsAreTrue(r *readers.Reader, samples []*sample) error {
	seen := map[readers.Fact]readers.Extent{}
	for _, s := range samples {
		addFacts(seen, s.rows())
	}
	var wrong []string
	for _, fact := range readers.Facts() {
		if declared := r.Records[fact]; seen[fact] != declared {
			wrong = append(wrong, fmt.Sprintf("%s: declared %q, the samples' %s say %q", fact, declared, fact.Table(), seen[fact]))
		}
	}
	if len(wrong) == 0 {
		return nil
	}
	return fmt.Errorf("Records:\n\t%s", strings.Join(wrong, "\n\t"))
}

// Facts returns the extent of each fact in the logs below the roots.
func Facts(t testing.TB, r *readers.Reader, roots []string) map[readers.Fact]readers.Extent {
	t.Helper()
	var places []readers.Place
	for _, root := range roots {
		places = append(places, readers.Place{Path: root})
	}
	logs, err := r.Find(places)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[readers.Fact]readers.Extent{}
	for _, log := range logs {
		src := tables.Source{Agent: r.Agent, Path: log.Path}
		files := []*tables.File{r.Load(log, src)}
		for _, part := range partsOnDisk(t, r, log) {
			src.Part = part.Name
			files = append(files, r.Load(log, src))
		}
		addFacts(seen, readRows(files...))
	}
	return seen
}

func addFacts(seen map[readers.Fact]readers.Extent, rows map[string][]tables.Row) {
	for _, fact := range readers.Facts() {
		for _, table := range fact.Tables() {
			for _, row := range rows[table] {
				seen[fact] |= fact.In(row)
			}
		}
	}
}

// declaresRows reports whether the reader declares that its logs hold rows of a table. It
// returns true for a table that no fact belongs to.
func declaresRows(r *readers.Reader, table string) bool {
	of := slices.DeleteFunc(readers.Facts(), func(f readers.Fact) bool { return f.Table() != table })
	return len(of) == 0 || slices.ContainsFunc(of, func(f readers.Fact) bool { return r.Records[f] != readers.NotRecorded })
}

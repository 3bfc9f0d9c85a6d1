package readertest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"hindsql/readers"
	"hindsql/tables"
)

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
	return problemsOf(wrong)
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
		b := tables.NewBatch(nil)
		src := tables.Source{Agent: r.Agent, Path: log.Path}
		r.Load(log, src).AppendTo(b)
		for _, part := range partsOnDisk(t, r, log) {
			src.Part = part.Name
			r.Load(log, src).AppendTo(b)
		}
		addFacts(seen, rowsOf(b))
		b.Release()
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

func problemsOf(wrong []string) error {
	if len(wrong) == 0 {
		return nil
	}
	return fmt.Errorf("Records:\n\t%s", strings.Join(wrong, "\n\t"))
}

// recorded reports whether the reader declares that its logs hold rows of a table. It
// returns true for a table that no fact belongs to.
func recorded(r *readers.Reader, table string) bool {
	of := slices.DeleteFunc(readers.Facts(), func(f readers.Fact) bool { return f.Table() != table })
	return len(of) == 0 || slices.ContainsFunc(of, func(f readers.Fact) bool { return r.Records[f] != readers.NotRecorded })
}

// Package readertest is what every reader's tests call: a conformance suite,
// golden samples, a fuzz target and a benchmark.
//
// A sample is testdata/NAME.txtar. Its comment says where the sample came from
// and which version of the agent wrote it. Then follow log files, laid out as
// below a root:
//
//	-- projects/x/1.jsonl --
//
// A name that ends in " (no final newline)" gives the file without its last
// newline. Sections named want/TABLE hold the rows that the sample should
// give, a block a row and a line a column; go test -update rewrites those that
// are there, or adds one for each table with rows when there are none. Null
// columns, those that hang on the test's folder, and the most usual values (see
// golden.go) are left out.
//
// version.txt, beside the samples, ties the reader's Version to their rows, see
// version.go.
//
// The suite then loads each file again many times: cut, garbled, doubled, read
// byte by byte. Each rule it holds the reader to stands in one of the rules_
// files, with a sentence that says what it asks.
package readertest

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hindsql/internal/whole"
	"hindsql/readers"
	"hindsql/tables"
)

// Shape says what a line of a log is, and so which rules hold for it.
type Shape int

const (
	// Lines: each line tells facts of its own.
	Lines Shape = iota
	// Journal: a line may change what earlier lines told.
	Journal
	// Document: the file is one value, lines mean nothing.
	Document
	// Rows: the file holds many sessions side by side, as a database does: its
	// reader lists parts. A line of the sample is a row, of which Options.Make
	// makes the file; rows are cut where of other logs bytes are.
	Rows
)

// files are the shapes of logs whose bytes the sample holds.
var files = []Shape{Lines, Journal, Document}

// Options say what is peculiar to a reader. The zero value suits most.
type Options struct {
	// Shape gives the shape of a log, by its path below the root; nil: all Lines.
	Shape func(rel string) Shape
	// Make makes a log of shape Rows of the sample's lines; nil: it is those lines.
	Make func(rows []byte) ([]byte, error)
}

// Run holds a reader to the suite, on every sample in the folder.
func Run(t *testing.T, r *readers.Reader, dir string, opts Options) {
	t.Helper()
	samples := readSamples(t, dir, r, opts)
	t.Run("samples", func(t *testing.T) {
		for i, s := range samples {
			t.Run(s.name, func(t *testing.T) {
				t.Parallel()
				s.golden(t)
				if err := s.keysAcrossFiles(); err != nil {
					t.Error(err)
				}
				for _, rule := range rules() {
					if rule.slow && i > 0 {
						continue
					}
					t.Run(rule.name, func(t *testing.T) {
						if rule.slow {
							whole.Test(t, "reads lines of 64 MB")
						}
						whole.Most(t, i, 16, "holds each rule on each sample")
						if err := s.hold(rule); err != nil {
							t.Error(err)
						}
					})
				}
			})
		}
	})
	t.Run("version", func(t *testing.T) {
		if err := checkVersion(r, samples, dir, *update); err != nil {
			t.Error(err)
		}
	})
	t.Run("every table has a row", func(t *testing.T) {
		if err := tablesFilled(r, samples); err != nil {
			t.Error(err)
		}
	})
	t.Run("declared records", func(t *testing.T) {
		if err := recordsAreTrue(r, samples); err != nil {
			t.Error(err)
		}
	})
}

func readSamples(t testing.TB, dir string, r *readers.Reader, opts Options) []*sample {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no samples: %s holds no *.txtar (%v)", dir, err)
	}
	var samples []*sample
	for _, p := range paths {
		s, err := readSample(p)
		if err != nil {
			t.Fatal(err)
		}
		s.reader, s.opts = r, opts
		s.lay(t)
		samples = append(samples, s)
	}
	return samples
}

// hold checks one rule on the logs of the sample that it is for; a slow one on
// the first of them.
func (s *sample) hold(rule rule) error {
	for _, l := range s.logs {
		if rule.shapes != nil && !slices.Contains(rule.shapes, l.shape) {
			continue
		}
		if err := rule.check(l); err != nil {
			return fmt.Errorf("%s: %w\nThe rule: %s", l.rel, err, rule.why)
		}
		if rule.slow {
			break
		}
	}
	return nil
}

// keysAcrossFiles: a store holds the rows of all files, so a key is unique
// among them all, not only within its file.
func (s *sample) keysAcrossFiles() error {
	rows := s.rows()
	for _, t := range tables.All() {
		if err := uniqueKeys(t, rows[t.Name]); err != nil {
			return err
		}
	}
	return nil
}

// tablesFilled says which tables no sample has a row for, though the agent
// records what they hold.
func tablesFilled(r *readers.Reader, samples []*sample) error {
	filled := map[string]bool{}
	for _, s := range samples {
		for name, rows := range s.rows() {
			filled[name] = filled[name] || len(rows) > 0
		}
	}
	var missing []string
	for _, table := range tables.All() {
		name := table.Name
		if from, made := madeOf[name]; made {
			name = from
		}
		if !table.Internal && !filled[name] && recorded(r, name) && (name != "file_fields" || r.Fields != nil) {
			missing = append(missing, table.Name)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return fmt.Errorf("no sample has a row for: %s", strings.Join(missing, ", "))
}

// madeOf are tables that a store makes of rows of others.
var madeOf = map[string]string{"clears": "clear_marks", "record_kinds": "file_kinds", "record_fields": "file_fields", "projects": "sessions"}

// Package readertest is the common test code of all readers: a conformance suite,
// golden samples, a fuzz target and a benchmark.
//
// A sample is testdata/NAME.txtar. Its comment names the sample's source, and the
// version of the agent that wrote the log. The log files follow, laid out as below a
// root:
//
//	-- projects/x/1.jsonl --
//
// A name that ends in " (no final newline)" gives the file without its last newline.
// Sections named want/TABLE hold the expected rows: one block per row, one line per
// column. go test -update rewrites the existing sections. In a sample without sections,
// -update adds a section for each table with rows, except want/file_fields: end a sample
// about unknown fields with that line, by hand. Sections omit null columns, columns that
// depend on the test's folder, and the most usual values (see golden.go).
//
// version.txt, beside the samples, ties the reader's Version to their rows, see
// version.go.
//
// The suite also loads each file many times: cut, garbled, doubled, read byte by byte.
// The rules_ files hold the suite's rules. Each rule has a sentence with its demand.
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

// Shape says what a line of a log means. The shape decides which rules apply.
type Shape int

const (
	// Lines: each line records facts independently.
	Lines Shape = iota
	// Journal: a line may change facts of earlier lines.
	Journal
	// Document: the file is a single value, and lines have no meaning.
	Document
	// Rows: the file holds many sessions side by side, like a database, and its reader
	// lists parts. A line of the sample is a row, and Options.Make builds the file from
	// the rows. The suite cuts between rows, and in other shapes between bytes.
	Rows
)

// files lists the shapes of logs whose bytes are in the sample.
var files = []Shape{Lines, Journal, Document}

// Options adapts the suite to a reader. The zero value suits most readers.
type Options struct {
	// Shape returns the shape of a log by its path below the root. If nil, all are
	// Lines.
	Shape func(rel string) Shape
	// Make builds a log of shape Rows from the sample's lines. If nil, the log is the
	// lines.
	Make func(rows []byte) ([]byte, error)
}

// Run runs the suite for a reader on every sample in the folder.
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
		if err := checkVersion(r, samples, dir, *update, isCommitted(t.Context(), filepath.Join(dir, versionFile))); err != nil {
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

// hold checks one rule on the sample's logs with a suitable shape. hold checks a slow
// rule on the first suitable log only.
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

// keysAcrossFiles checks that keys are unique in all files of the sample together,
// because a store holds the rows of all files.
func (s *sample) keysAcrossFiles() error {
	rows := s.rows()
	for _, t := range tables.All() {
		if err := uniqueKeys(t, rows[t.Name]); err != nil {
			return err
		}
	}
	return nil
}

// tablesFilled returns an error for tables without a row in any sample, if the agent
// records facts for the table.
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

// madeOf maps a table derived by a store to its source table.
var madeOf = map[string]string{"clears": "clear_marks", "record_kinds": "file_kinds", "record_fields": "file_fields", "projects": "sessions"}

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
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

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
						if err := s.checkRule(rule); err != nil {
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
		s.writeFiles(t)
		samples = append(samples, s)
	}
	return samples
}

// checkRule checks one rule on the sample's logs with a suitable shape. checkRule
// checks a slow rule on the first suitable log only.
func (s *sample) checkRule(rule rule) error {
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
		if !table.Internal && !filled[name] && declaresRows(r, name) && (name != "file_fields" || r.Fields != nil) {
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

// Fuzz feeds the reader random logs, beginning with the samples in the folder. The
// reader must not panic, and the rows must be well formed.
func Fuzz(f *testing.F, r *readers.Reader, dir string) { FuzzOf(f, r, dir, Options{}) }

// FuzzOf is Fuzz for a reader whose samples need options.
func FuzzOf(f *testing.F, r *readers.Reader, dir string, opts Options) {
	var rels []string
	for _, s := range readSamples(f, dir, r, opts) {
		for _, l := range s.logs {
			f.Add(uint(len(rels)), l.data)
			rels = append(rels, l.rel)
		}
	}
	f.Fuzz(func(t *testing.T, which uint, data []byte) {
		l := &log{sample: &sample{reader: r}, rel: rels[which%uint(len(rels))], data: data}
		if err := wellFormed(l.load(data)); err != nil {
			t.Error(err)
		}
	})
}

// Bench measures how many bytes of log the reader turns into rows, for all logs below a
// root on one core.
func Bench(b *testing.B, r *readers.Reader, root string) {
	b.Helper()
	logs, err := r.Find([]readers.Place{{Path: root, From: "benchmark"}})
	if err != nil || len(logs) == 0 {
		b.Skipf("no logs below %s: %v", root, err)
	}
	size := int64(0)
	for _, l := range logs {
		size += l.Size
	}
	b.SetBytes(size)
	b.ReportAllocs()
	batch := tables.NewBatch(nil)
	for b.Loop() {
		for _, l := range logs {
			src := tables.Source{Agent: r.Agent, Path: l.Path, Size: l.Size, ModifiedAt: l.ModifiedAt, LoadedAt: time.Now()}
			r.Load(l, src).AppendTo(batch)
			for _, part := range partsOnDisk(b, r, l) {
				src.Part, src.Stamp, src.Size = part.Name, part.Stamp, part.Size
				r.Load(l, src).AppendTo(batch)
			}
			if len(batch.Sources()) >= 64 {
				batch.Release()
			}
		}
		batch.Release()
	}
}

// partsOnDisk returns the parts of a log, or nil if the reader has no parts.
func partsOnDisk(t testing.TB, r *readers.Reader, l readers.Log) []readers.Part {
	t.Helper()
	if r.Parts == nil {
		return nil
	}
	parts, _, err := r.List(l)
	if err != nil {
		t.Fatal(err)
	}
	return parts
}

// Linear fails the test if a log with twice as many lines takes much more than twice
// the memory to read, even if the lines are damaged. line returns the i-th line without
// its end. Linear counts allocated bytes and not time. No other test may run in
// parallel.
func Linear(t *testing.T, r *readers.Reader, rel string, line func(i int) string) {
	t.Helper()
	const lines = 4000
	few, many := allocated(r, rel, lines, line), allocated(r, rel, 2*lines, line)
	if many > 3*few {
		t.Errorf("%d lines take %d bytes, and twice as many %d", lines, few, many)
	}
}

func allocated(r *readers.Reader, rel string, lines int, line func(i int) string) uint64 {
	var log strings.Builder
	for i := range lines {
		log.WriteString(line(i))
		log.WriteByte('\n')
	}
	in := InputOf(rel, log.String(), nil)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	batch := tables.NewBatch(nil)
	r.LoadFrom(in, tables.Source{Agent: r.Agent, Path: rel}).AppendTo(batch)
	for _, t := range tables.Loaded() {
		batch.Records(t)
	}
	batch.Release()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

package readertest

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"hindsql/readers"
	"hindsql/tables"
)

const (
	wantPrefix = "want/"
	noNewline  = " (no final newline)"
)

// sample is one txtar, laid out in a folder.
type sample struct {
	name, path string
	archive    *txtar.Archive
	reader     *readers.Reader
	opts       Options
	root       string
	logs       []*log
}

// log is a log file of a sample, in memory.
type log struct {
	*sample
	found readers.Log
	rel   string // slash-separated, below the root
	data  []byte
	shape Shape
}

func readSample(path string) (*sample, error) {
	archive, err := txtar.ParseFile(path)
	if err != nil {
		return nil, err
	}
	s := &sample{name: strings.TrimSuffix(filepath.Base(path), ".txtar"), path: path, archive: archive}
	if len(bytes.TrimSpace(archive.Comment)) == 0 {
		return nil, fmt.Errorf("%s: no comment; say where the sample came from and which version wrote it", path)
	}
	return s, nil
}

// files calls visit for every input file of the sample.
func (s *sample) files(visit func(rel string, data []byte) error) error {
	for _, f := range s.archive.Files {
		if strings.HasPrefix(f.Name, wantPrefix) {
			continue
		}
		rel, cut := strings.CutSuffix(f.Name, noNewline)
		data := f.Data
		if cut {
			data = bytes.TrimSuffix(data, []byte("\n"))
		}
		if err := visit(rel, data); err != nil {
			return err
		}
	}
	return nil
}

// lay writes the input files below a fresh root, and finds the logs there.
func (s *sample) lay(t testing.TB) {
	t.Helper()
	s.root = t.TempDir()
	err := s.files(func(rel string, data []byte) error {
		path := filepath.Join(s.root, filepath.FromSlash(rel))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		return os.WriteFile(path, data, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
	found, err := s.reader.Find([]readers.Place{{Path: s.root, From: "testdata"}})
	if err != nil {
		t.Fatal(err)
	}
	if len(found) == 0 {
		t.Fatalf("%s: the reader finds no log in it", s.path)
	}
	for _, f := range found {
		data, err := os.ReadFile(f.Path)
		if err != nil {
			t.Fatal(err)
		}
		shape := Lines
		if s.opts.Shape != nil {
			shape = s.opts.Shape(f.Rel)
		}
		s.logs = append(s.logs, &log{s, f, f.Rel, data, shape})
	}
}

// source is where a log seems to lie: the rows must not hang on the folder
// that a test run made.
func (l *log) source() tables.Source {
	return tables.Source{Agent: l.reader.Agent, Path: "/" + l.rel, ReaderVersion: l.reader.Version}
}

func (l *log) input(open func() (io.ReadCloser, error), emit func(tables.Event)) readers.Input {
	return readers.Input{
		Rel:  l.rel,
		Open: open,
		Beside: func(rel string) ([]byte, error) {
			path, ok := l.beside(rel)
			if !ok {
				return nil, fs.ErrNotExist
			}
			return os.ReadFile(path)
		},
		Exists: func(rel string) bool {
			path, ok := l.beside(rel)
			_, err := os.Stat(path)
			return ok && err == nil
		},
		Emit: emit,
	}
}

// beside is where another file of the sample lies, if the log may ask for it.
func (l *log) beside(rel string) (path string, ok bool) {
	rel = filepath.FromSlash(rel)
	return filepath.Join(l.root, rel), l.root != "" && filepath.IsLocal(rel)
}

// read is a log's events and rows, as they come from some bytes.
type read struct {
	events []tables.Event
	rows   map[string][]tables.Row
}

// load reads the bytes as if they were the log.
func (l *log) load(data []byte) read { return l.loadFrom(bytes.NewReader(data)) }

func (l *log) loadFrom(r io.Reader) read {
	events, file := l.emitted(r)
	b := tables.NewBatch(nil)
	defer b.Release()
	file.AppendTo(b)
	return read{events, rowsOf(b)}
}

// emitted is the first half of loadFrom, and much cheaper: no rows.
func (l *log) emitted(r io.Reader) ([]tables.Event, *tables.File) {
	var events []tables.Event
	open := func() (io.ReadCloser, error) { return io.NopCloser(r), nil }
	file := l.reader.LoadFrom(l.input(open, func(e tables.Event) {
		if m, ok := e.(*tables.Message); ok {
			part := *m // the rows join further parts to it
			e = &part
		}
		events = append(events, e)
	}), l.source())
	return events, file
}

// rows are those of all logs of the sample together.
func (s *sample) rows() map[string][]tables.Row {
	b := tables.NewBatch(nil)
	defer b.Release()
	for _, l := range s.logs {
		_, file := l.emitted(bytes.NewReader(l.data))
		file.AppendTo(b)
	}
	return rowsOf(b)
}

func rowsOf(b *tables.Batch) map[string][]tables.Row {
	rows := map[string][]tables.Row{}
	for _, t := range tables.All() {
		if t.Loaded() {
			rows[t.Name] = b.Rows(t)
		}
	}
	return rows
}

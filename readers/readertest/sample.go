package readertest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/rogpeppe/go-internal/txtar"

	"hindsql/readers"
	"hindsql/tables"
)

const (
	wantPrefix = "want/"
	noNewline  = " (no final newline)"
)

// sample is one txtar, written to a folder.
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
	rel   string // path below the root, slash-separated
	data  []byte
	text  []byte // text in the sample; differs from data if Options.Make builds the file
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

// writeFiles writes the input files below a new root, and finds the logs.
func (s *sample) writeFiles(t testing.TB) {
	t.Helper()
	s.root = t.TempDir()
	texts := map[string][]byte{}
	err := s.files(func(rel string, data []byte) error {
		path := filepath.Join(s.root, filepath.FromSlash(rel))
		texts[rel] = data
		if s.opts.Make != nil && s.opts.Shape != nil && s.opts.Shape(rel) == Rows {
			var err error
			if data, err = s.opts.Make(data); err != nil {
				return err
			}
		}
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
		s.logs = append(s.logs, &log{sample: s, found: f, rel: f.Rel, data: data, text: texts[f.Rel], shape: shape})
	}
}

// source returns a source for the log's rows whose path doesn't depend on the test's
// temporary folder.
func (l *log) source() tables.Source {
	return tables.Source{Agent: l.reader.Agent, Path: "/" + l.rel, ReaderVersion: l.reader.Version}
}

func (l *log) input(open func() (io.ReadCloser, error), emit func(tables.Event)) readers.Input {
	return readers.Input{
		Rel:  l.rel,
		Open: open,
		ReadFile: func(rel string) ([]byte, error) {
			path, ok := l.pathOf(rel)
			if !ok {
				return nil, fs.ErrNotExist
			}
			return os.ReadFile(path)
		},
		Exists: func(rel string) bool {
			path, ok := l.pathOf(rel)
			_, err := os.Stat(path)
			return ok && err == nil
		},
		OpenCompanion: func(suffix string) (io.ReadCloser, error) { return l.open(l.rel + suffix) },
		OpenUnwatched: l.open,
		Watch:         func(string) {},
		Emit:          emit,

		Names:          l.names,
		NamesUnwatched: l.names,
		ModifiedAt:     l.found.ModifiedAt,
	}
}

// names lists a folder of the sample.
func (l *log) names(rel string) ([]string, error) {
	path, ok := l.pathOf(rel)
	if !ok {
		return nil, nil
	}
	entries, err := os.ReadDir(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names, err
}

// open opens another file of the sample.
func (l *log) open(rel string) (io.ReadCloser, error) {
	path, ok := l.pathOf(rel)
	if !ok {
		return nil, fs.ErrNotExist
	}
	return os.Open(path)
}

// pathOf returns the path of another file of the sample. ok is false if the reader may
// not ask for that file.
func (l *log) pathOf(rel string) (path string, ok bool) {
	rel = filepath.FromSlash(rel)
	return filepath.Join(l.root, rel), l.root != "" && filepath.IsLocal(rel)
}

// read holds the events and rows that a log's bytes give.
type read struct {
	events []tables.Event
	rows   map[string][]tables.Row
}

// load reads bytes in place of the log's own.
func (l *log) load(data []byte) read { return l.loadFrom(bytes.NewReader(data)) }

func (l *log) loadFrom(r io.Reader) read {
	events, files := l.readEvents(r)
	return read{events, readRows(files...)}
}

// readEvents reads a log and returns its events, without making rows. That is much
// cheaper. The files are the log and its parts.
func (l *log) readEvents(r io.Reader) ([]tables.Event, []*tables.File) {
	var events []tables.Event
	emit := func(e tables.Event) {
		if m, ok := e.(*tables.Message); ok {
			part := *m // copy, because File joins later parts to the message
			e = &part
		}
		events = append(events, e)
	}
	open := func() (io.ReadCloser, error) { return io.NopCloser(r), nil }
	if l.reader.Parts == nil {
		file := l.reader.LoadFrom(l.input(open, emit), l.source())
		return events, []*tables.File{file}
	}
	data, err := io.ReadAll(r)
	open = func() (io.ReadCloser, error) {
		if err != nil {
			return io.NopCloser(io.MultiReader(bytes.NewReader(data), iotest.ErrReader(err))), nil //nolint:nilerr // it is the reader's
		}
		return io.NopCloser(bytes.NewReader(data)), nil
	}
	files := l.loadParts(open, emit)
	return events, files
}

// loadParts reads the log itself, then its parts.
func (l *log) loadParts(open func() (io.ReadCloser, error), emit func(tables.Event)) []*tables.File {
	files := []*tables.File{l.reader.LoadFrom(l.input(open, emit), l.source())}
	parts, err := l.reader.ListFrom(l.input(open, emit))
	if err != nil && files[0].Problems() == 0 {
		p := &tables.Problem{What: err.Error()}
		emit(p)
		files[0].Emit(p)
	}
	for _, p := range parts {
		files = append(files, l.reader.LoadFrom(l.input(open, emit), l.partSource(p)))
	}
	return files
}

func (l *log) partSource(p readers.Part) tables.Source {
	src := l.source()
	src.Part, src.Stamp, src.Size = p.Name, p.Stamp, p.Size
	return src
}

// rows returns the rows of all logs of the sample together.
func (s *sample) rows() map[string][]tables.Row {
	b := tables.NewBatch(nil)
	defer b.Release()
	for _, l := range s.logs {
		_, files := l.readEvents(bytes.NewReader(l.data))
		for _, f := range files {
			f.AppendTo(b)
		}
	}
	return rowsOf(b)
}

// readRows returns the rows of files, by table.
func readRows(files ...*tables.File) map[string][]tables.Row {
	b := tables.NewBatch(nil)
	defer b.Release()
	for _, f := range files {
		f.AppendTo(b)
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

// InputOf returns the Input of a log written by a test, without files beside it. emit sees
// the events, and may be nil.
func InputOf(rel, text string, emit func(tables.Event)) readers.Input {
	return readers.Input{
		Rel:            rel,
		Open:           func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil },
		ReadFile:       func(string) ([]byte, error) { return nil, fs.ErrNotExist },
		OpenCompanion:  noCompanion,
		OpenUnwatched:  noCompanion,
		Watch:          func(string) {},
		Names:          noNames,
		NamesUnwatched: noNames,
		Exists:         func(string) bool { return false },
		Emit:           emit,
	}
}

// noCompanion returns fs.ErrNotExist, because a test's log has no files beside it.
func noCompanion(string) (io.ReadCloser, error) { return nil, fs.ErrNotExist }

func noNames(string) ([]string, error) { return nil, nil }

// EventsOf returns the events of a log written by a test.
func EventsOf(r *readers.Reader, rel, text string) []tables.Event {
	var events []tables.Event
	r.LoadFrom(InputOf(rel, text, func(e tables.Event) { events = append(events, e) }), tables.Source{Agent: r.Agent, Path: "/" + rel})
	return events
}

// RowsOf returns the rows of a log written by a test, by table.
func RowsOf(r *readers.Reader, rel, text string) map[string][]tables.Row {
	return readRows(r.LoadFrom(InputOf(rel, text, nil), tables.Source{Agent: r.Agent, Path: "/" + rel}))
}

// WriteFiles writes files with an empty object below a folder, to test which files are
// logs. names are slash-separated.
func WriteFiles(t testing.TB, folder string, names ...string) {
	t.Helper()
	for _, name := range names {
		p := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte("{}"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

package readertest

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hindsql/readers"
	"hindsql/tables"
)

// Text returns the Input of a log written by a test, without files beside it. emit sees
// the events, and may be nil.
func Text(rel, text string, emit func(tables.Event)) readers.Input {
	return readers.Input{
		Rel:        rel,
		Open:       func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil },
		Beside:     func(string) ([]byte, error) { return nil, fs.ErrNotExist },
		With:       none,
		Aside:      none,
		Watch:      func(string) {},
		Names:      noNames,
		NamesAside: noNames,
		Exists:     func(string) bool { return false },
		Emit:       emit,
	}
}

// none returns fs.ErrNotExist, because a test's log has no files beside it.
func none(string) (io.ReadCloser, error) { return nil, fs.ErrNotExist }

func noNames(string) ([]string, error) { return nil, nil }

// EventsOf returns the events of a log written by a test.
func EventsOf(r *readers.Reader, rel, text string) []tables.Event {
	var events []tables.Event
	r.LoadFrom(Text(rel, text, func(e tables.Event) { events = append(events, e) }), tables.Source{Agent: r.Agent, Path: "/" + rel})
	return events
}

// RowsOf returns the rows of a log written by a test, by table.
func RowsOf(r *readers.Reader, rel, text string) map[string][]tables.Row {
	b := tables.NewBatch(nil)
	defer b.Release()
	r.LoadFrom(Text(rel, text, nil), tables.Source{Agent: r.Agent, Path: "/" + rel}).AppendTo(b)
	return rowsOf(b)
}

// Lay writes files with an empty object below a folder, to test which files are logs.
// names are slash-separated.
func Lay(t testing.TB, folder string, names ...string) {
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

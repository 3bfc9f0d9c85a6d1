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

// Text is a log that a test wrote, with nothing beside it. emit sees its
// events, and may be nil.
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

// none is what lies beside a log that has nothing there.
func none(string) (io.ReadCloser, error) { return nil, fs.ErrNotExist }

func noNames(string) ([]string, error) { return nil, nil }

// EventsOf are the events of a log that a test wrote.
func EventsOf(r *readers.Reader, rel, text string) []tables.Event {
	var events []tables.Event
	r.LoadFrom(Text(rel, text, func(e tables.Event) { events = append(events, e) }), tables.Source{Agent: r.Agent, Path: "/" + rel})
	return events
}

// RowsOf are the rows of a log that a test wrote, by table.
func RowsOf(r *readers.Reader, rel, text string) map[string][]tables.Row {
	b := tables.NewBatch(nil)
	defer b.Release()
	r.LoadFrom(Text(rel, text, nil), tables.Source{Agent: r.Agent, Path: "/" + rel}).AppendTo(b)
	return rowsOf(b)
}

// Lay writes files below a folder, each an empty object: for tests of which of
// them are logs. names are slash-separated.
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

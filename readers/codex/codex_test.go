package codex_test

import (
	"path/filepath"
	"strings"
	"testing"

	"hindsql/internal/corpus"
	"hindsql/readers/codex"
	"hindsql/readers/readertest"
	"hindsql/readers/sqlite"
)

// shape returns a log's shape. In a rollout, an event may add to an earlier item, and a
// prompt's uuid depends on the text before it.
func shape(rel string) readertest.Shape {
	switch {
	case strings.HasSuffix(rel, ".sqlite"):
		return readertest.Rows
	case strings.HasSuffix(rel, ".json"):
		return readertest.Document
	case strings.Contains(rel, "rollout-"):
		return readertest.Journal
	}
	return readertest.Lines
}

func TestReader(t *testing.T) {
	readertest.Run(t, codex.Reader, "testdata", readertest.Options{Shape: shape, Make: sqlite.Make})
}

func FuzzReader(f *testing.F) { readertest.Fuzz(f, codex.Reader, "testdata") }

func BenchmarkReader(b *testing.B) {
	readertest.Bench(b, codex.Reader, filepath.Join(corpus.Home(b, "home"), ".codex"))
}

func TestFields(t *testing.T) { readertest.Fields(t, codex.Reader, "testdata") }

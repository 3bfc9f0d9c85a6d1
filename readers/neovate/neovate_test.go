package neovate_test

import (
	"path/filepath"
	"strings"
	"testing"

	"hindsql/readers/neovate"
	"hindsql/readers/readertest"
)

// shape: the marker of an interruption may tell how the calls of an earlier
// line ended, where nothing stands in their place; a call's id that was there
// before is made unique.
func shape(rel string) readertest.Shape {
	switch {
	case strings.HasSuffix(rel, ".json"):
		return readertest.Document
	case strings.HasPrefix(rel, "projects/journal/"):
		return readertest.Journal
	}
	return readertest.Lines
}

func TestReader(t *testing.T) {
	readertest.Run(t, neovate.Reader, "testdata", readertest.Options{Shape: shape})
}

func FuzzReader(f *testing.F) { readertest.Fuzz(f, neovate.Reader, "testdata") }

func BenchmarkReader(b *testing.B) {
	readertest.Bench(b, neovate.Reader, filepath.Join(readertest.Corpus(b), ".neovate"))
}

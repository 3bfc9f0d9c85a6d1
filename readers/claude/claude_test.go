package claude_test

import (
	"path/filepath"
	"testing"

	"hindsql/internal/corpus"
	"hindsql/readers/claude"
	"hindsql/readers/readertest"
)

func TestReader(t *testing.T) { readertest.Run(t, claude.Reader, "testdata", readertest.Options{}) }

func FuzzReader(f *testing.F) { readertest.Fuzz(f, claude.Reader, "testdata") }

func BenchmarkReader(b *testing.B) {
	readertest.Bench(b, claude.Reader, filepath.Join(corpus.Home(b, "home"), ".claude"))
}

func TestFields(t *testing.T) { readertest.Fields(t, claude.Reader, "testdata") }

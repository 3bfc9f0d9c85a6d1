package gemini_test

import (
	"path/filepath"
	"strings"
	"testing"

	"hindsql/internal/corpus"
	"hindsql/readers/gemini"
	"hindsql/readers/readertest"
)

// A journal's lines change earlier lines. Chats before 0.39 and prompt logs are one
// JSON value.
func shape(rel string) readertest.Shape {
	if strings.HasSuffix(rel, ".jsonl") && !strings.HasSuffix(rel, "cccccccc.jsonl") { // see testdata/damage.txtar
		return readertest.Journal
	}
	return readertest.Document
}

func TestReader(t *testing.T) {
	readertest.Run(t, gemini.Reader, "testdata", readertest.Options{Shape: shape})
}

func FuzzReader(f *testing.F) { readertest.Fuzz(f, gemini.Reader, "testdata") }

func BenchmarkReader(b *testing.B) {
	readertest.Bench(b, gemini.Reader, filepath.Join(corpus.Home(b, "home"), ".gemini"))
}

func TestFields(t *testing.T) { readertest.Fields(t, gemini.Reader, "testdata") }

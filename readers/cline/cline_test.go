package cline_test

import (
	"path/filepath"
	"strings"
	"testing"

	"hindsql/internal/corpus"
	"hindsql/readers/cline"
	"hindsql/readers/readertest"
)

// Cline writes each file as one JSON value, except the typed prompts.
func shape(rel string) readertest.Shape {
	if strings.HasSuffix(rel, ".jsonl") {
		return readertest.Lines
	}
	return readertest.Document
}

func TestReader(t *testing.T) {
	readertest.Run(t, cline.Reader, "testdata", readertest.Options{Shape: shape})
}

func FuzzReader(f *testing.F) { readertest.Fuzz(f, cline.Reader, "testdata") }

func BenchmarkReader(b *testing.B) {
	readertest.Bench(b, cline.Reader, filepath.Join(corpus.Home(b, "agents-3"), ".cline", "data"))
}

func TestFields(t *testing.T) { readertest.Fields(t, cline.Reader, "testdata") }

package vscode_test

import (
	"path/filepath"
	"strings"
	"testing"

	"hindsql/internal/corpus"
	"hindsql/readers/readertest"
	"hindsql/readers/vscode"
)

// shape returns a log's shape. The lines of a mutation log change what earlier lines
// said, and a transcript's lines end the calls of earlier lines.
func shape(rel string) readertest.Shape {
	if strings.HasSuffix(rel, ".jsonl") {
		return readertest.Journal
	}
	return readertest.Document
}

func TestReader(t *testing.T) {
	readertest.Run(t, vscode.Reader, "testdata", readertest.Options{Shape: shape})
}

func FuzzReader(f *testing.F) { readertest.Fuzz(f, vscode.Reader, "testdata") }

func BenchmarkReader(b *testing.B) {
	home := corpus.Home(b, "home")
	for _, root := range []string{".config/Code", "chat-exports"} {
		b.Run(filepath.Base(root), func(b *testing.B) { readertest.Bench(b, vscode.Reader, filepath.Join(home, root)) })
	}
}

func TestFields(t *testing.T) { readertest.Fields(t, vscode.Reader, "testdata", "chat-exports/*") }

package qwen_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hindsql/internal/corpus"
	"hindsql/readers/gemini"
	"hindsql/readers/qwen"
	"hindsql/readers/readertest"
)

func init() { qwen.ReadOldChat = gemini.Reader.Read }

// shape: the lines of one answer are joined, and a repeated call id is made unique.
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
	readertest.Run(t, qwen.Reader, "testdata", readertest.Options{Shape: shape})
}

func FuzzReader(f *testing.F) { readertest.Fuzz(f, qwen.Reader, "testdata") }

func TestFields(t *testing.T) { readertest.Fields(t, qwen.Reader, "testdata") }

// The recorded sessions are small. Joined, and repeated, they make sessions as long as a
// day's.
func BenchmarkReader(b *testing.B) {
	home := corpus.Home(b, "agents-3")
	paths, err := filepath.Glob(filepath.Join(home, ".qwen", "projects", "*", "chats", "*.jsonl"))
	if err != nil {
		b.Fatal(err)
	}
	var long bytes.Buffer
	for i := range 20 {
		again := strings.NewReplacer(`uuid":"`, fmt.Sprintf(`uuid":"%d-`, i), `Uuid":"`, fmt.Sprintf(`Uuid":"%d-`, i), `"call_`, fmt.Sprintf(`"call_%d_`, i))
		for _, path := range paths {
			data, err := os.ReadFile(path)
			if err != nil {
				b.Fatal(err)
			}
			long.WriteString(again.Replace(string(data)))
		}
	}
	root := b.TempDir()
	for day := range 10 {
		path := filepath.Join(root, "projects", "p", "chats", fmt.Sprintf("%d.jsonl", day))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(path, long.Bytes(), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	readertest.Bench(b, qwen.Reader, root)
}

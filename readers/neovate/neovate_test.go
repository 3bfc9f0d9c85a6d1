package neovate_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hindsql/internal/corpus"
	"hindsql/readers/neovate"
	"hindsql/readers/readertest"
)

// shape: an interruption's marker may end the calls of an earlier line, if they have no
// results. A repeated call id is made unique.
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

// The real sessions are small and few. Joined, and repeated ten times, they make a
// session as long as a day's.
func BenchmarkReader(b *testing.B) {
	root := b.TempDir()
	folder := filepath.Join(root, "projects", "long")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		b.Fatal(err)
	}
	for day := range 10 {
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("0000000%d.jsonl", day)), longSession(b), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	readertest.Bench(b, neovate.Reader, root)
}

func longSession(b *testing.B) []byte {
	paths, err := filepath.Glob(filepath.Join(corpus.Home(b, "home"), ".neovate", "projects", "*", "*.jsonl"))
	if err != nil {
		b.Fatal(err)
	}
	var long bytes.Buffer
	for i := range 10 {
		again := strings.NewReplacer(`uuid":"`, fmt.Sprintf(`uuid":"%d-`, i), `Uuid":"`, fmt.Sprintf(`Uuid":"%d-`, i), `"call_`, fmt.Sprintf(`"call_%d_`, i))
		for _, path := range paths {
			data, err := os.ReadFile(path)
			if err != nil {
				b.Fatal(err)
			}
			first := bytes.Replace(data, []byte(`"parentUuid":null`), []byte(`"parentUuid":"the line before"`), 1)
			long.WriteString(again.Replace(string(first)))
		}
	}
	return long.Bytes()
}

func TestFields(t *testing.T) { readertest.Fields(t, neovate.Reader, "testdata") }

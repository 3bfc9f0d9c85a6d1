package cline_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hindsql/internal/corpus"
	"hindsql/readers/cline"
	"hindsql/readers/readertest"
)

// longMessages is the least size in bytes of a session that the benchmark reads: a day's
// work.
const longMessages = 1 << 20

// The real sessions are small. Joined, and repeated, they make sessions as long as a
// day's.
func BenchmarkReader(b *testing.B) {
	root := b.TempDir()
	for day := range 10 {
		id := fmt.Sprintf("179543%07d_bench", day)
		folder := filepath.Join(root, "sessions", id)
		if err := os.MkdirAll(folder, 0o755); err != nil {
			b.Fatal(err)
		}
		messages, manifest := longSession(b)
		for name, text := range map[string]string{id + ".messages.json": messages, id + ".json": manifest} {
			if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
				b.Fatal(err)
			}
		}
	}
	readertest.Bench(b, cline.Reader, root)
}

// longSession returns a session with the messages of all real sessions, several times,
// and a manifest.
func longSession(b *testing.B) (messages, manifest string) {
	b.Helper()
	paths, err := filepath.Glob(filepath.Join(corpus.Home(b, "agents-3"), ".cline", "data", "sessions", "*", "*.messages.json"))
	if err != nil || len(paths) == 0 {
		b.Fatalf("no sessions: %v", err)
	}
	var lists []string
	var head, tail string
	for size, i := 0, 0; size < longMessages; i++ {
		path := paths[i%len(paths)]
		var list string
		head, list, tail = split(b, read(b, path))
		list = strings.NewReplacer(`"id": "`, fmt.Sprintf(`"id": "%d-`, i), `_id": "`, fmt.Sprintf(`_id": "%d-`, i)).Replace(list)
		lists, size = append(lists, list), size+len(list)
		manifest = read(b, strings.TrimSuffix(path, ".messages.json")+".json")
	}
	return head + strings.Join(lists, ",") + tail, manifest
}

// split splits a file around its messages.
func split(b *testing.B, text string) (head, list, tail string) {
	b.Helper()
	const begin, end = "\n  \"messages\": [", "\n  ]"
	from, to := strings.Index(text, begin), strings.LastIndex(text, end)
	if from < 0 || to < from {
		b.Fatal("a file without messages")
	}
	return text[:from+len(begin)], text[from+len(begin) : to], text[to:]
}

func read(b *testing.B, path string) string {
	b.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		b.Fatal(err)
	}
	return string(data)
}

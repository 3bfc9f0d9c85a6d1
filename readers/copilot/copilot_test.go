package copilot_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hindsql/internal/corpus"
	"hindsql/readers"
	"hindsql/readers/copilot"
	"hindsql/readers/readertest"
)

// shape: a repeated call id is made unique, and a lost line may change that. A call
// without a result gets its end from the line of its refusal.
func shape(rel string) readertest.Shape {
	switch {
	case strings.HasSuffix(rel, ".json"):
		return readertest.Document
	case strings.Contains(rel, "renumbered"), strings.Contains(rel, "unended"):
		return readertest.Journal
	}
	return readertest.Lines
}

func TestReader(t *testing.T) {
	readertest.Run(t, copilot.Reader, "testdata", readertest.Options{Shape: shape})
}

func FuzzReader(f *testing.F) { readertest.Fuzz(f, copilot.Reader, "testdata") }

func TestFields(t *testing.T) { readertest.Fields(t, copilot.Reader, "testdata") }

// The recorded sessions are small. Joined, each with ids of its own, they make a
// session as long as a day's.
func BenchmarkReader(b *testing.B) {
	root := b.TempDir()
	for day := range 4 {
		folder := filepath.Join(root, "session-state", fmt.Sprintf("0000000%d", day))
		if err := os.MkdirAll(folder, 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, "events.jsonl"), longSession(b), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	readertest.Bench(b, copilot.Reader, root)
}

func longSession(b *testing.B) []byte {
	paths, err := filepath.Glob(filepath.Join(corpus.Home(b, "new-agents"), ".copilot", "session-state", "*", "events.jsonl"))
	if err != nil {
		b.Fatal(err)
	}
	var long bytes.Buffer
	for i := range 3 {
		again := strings.NewReplacer(`"id":"`, fmt.Sprintf(`"id":"%d-`, i), `allId":"`, fmt.Sprintf(`allId":"%d-`, i))
		for _, path := range paths {
			data, err := os.ReadFile(path)
			if err != nil {
				b.Fatal(err)
			}
			long.WriteString(again.Replace(string(data)))
		}
	}
	return long.Bytes()
}

// Saved permissions, the databases and everything else beside the events are no logs,
// and are never opened.
func TestLogs(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	readertest.WriteFiles(t, root,
		"session-state/a/events.jsonl", "session-state/b.jsonl", "history-session-state/c.jsonl", "history-session-state/d/events.jsonl", "command-history-state.json",
		"session-state/a/workspace.yaml", "session-state/a/checkpoints/events.jsonl", "session-state/a/session.db", "session-state/a/other.jsonl",
		"permissions-config.json", "session-store.db", "config.json", "mcp-config.json", "logs/process.log", "events.jsonl")
	logs, err := copilot.Reader.Find([]readers.Place{{Path: root, From: "test"}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, log := range logs {
		got = append(got, log.Rel)
	}
	slices.Sort(got)
	want := []string{"command-history-state.json", "history-session-state/c.jsonl", "history-session-state/d/events.jsonl", "session-state/a/events.jsonl", "session-state/b.jsonl"}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

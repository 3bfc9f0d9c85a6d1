package enginetest

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"sync"
	"testing"
	"time"

	"hindsql/engine"
	"hindsql/readers"
	"hindsql/readers/all"
	"hindsql/readers/sample"
)

// RealConfig returns the config of a home with the agents' own readers.
func RealConfig(home, store string) engine.Config {
	return engine.Config{
		Store: store, Readers: all.Readers(), Hostname: "here", Timezone: "UTC",
		Host: readers.Host{OS: "linux", Home: home, Getenv: func(string) string { return "" }},
	}
}

// Shared is a temporary folder for files shared by several tests. [Main] removes the
// folder.
var Shared = sync.OnceValue(func() string {
	folder, err := os.MkdirTemp("", "hindsql-test-")
	if err != nil {
		panic(err)
	}
	return folder
})

// loadedSample is the folder of the sample and a loaded store. Both are made once, for
// all tests.
var loadedSample = sync.OnceValues(func() (folder string, err error) {
	folder = filepath.Join(Shared(), "sample")
	home, err := sample.Write(filepath.Join(folder, "home"))
	if err != nil {
		return "", err
	}
	return folder, Child{Home: home, Store: filepath.Join(folder, "h.duckdb")}.Session(func(ctx context.Context, s Face) error {
		_, err := s.Sync(ctx, engine.SyncOptions{})
		return err
	})
})

// Sample returns the config of the sample's home with the test's own copy of a loaded
// store. The home is shared, so tests must not write there.
func Sample(t testing.TB) engine.Config {
	t.Helper()
	folder, err := loadedSample()
	Must(t, err)
	store := filepath.Join(t.TempDir(), "h.duckdb")
	data, err := os.ReadFile(filepath.Join(folder, "h.duckdb"))
	Must(t, err)
	Must(t, os.WriteFile(store, data, 0o600))
	return RealConfig(filepath.Join(folder, "home"), store)
}

// ids matches the ids of sessions, lines, messages and calls.
var ids = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b(msg|toolu|req)_[A-Za-z0-9]+`)

// copyIDs returns the text with the n-th copy's ids.
func copyIDs(text []byte, n int) []byte {
	return ids.ReplaceAllFunc(text, func(id []byte) []byte {
		if bytes.IndexByte(id, '_') > 0 {
			return fmt.Appendf(nil, "%s%04d", id, n)
		}
		head, _ := strconv.ParseUint(string(id[:8]), 16, 32)
		return fmt.Appendf(nil, "%08x%s", uint32(head)^uint32(n), id[8:])
	})
}

// Tree writes a home with n copies of the sample, each with its own ids.
func Tree(t testing.TB, n int) (home string) {
	t.Helper()
	from, err := sample.Write(t.TempDir())
	Must(t, err)
	home = t.TempDir()
	for i := range n {
		Must(t, filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			rel, _ := filepath.Rel(from, path)
			return AppendFile(filepath.Join(home, string(copyIDs([]byte(rel), i))), copyIDs(text, i))
		}))
	}
	return home
}

// AppendFile appends text to a file, and creates the file if missing.
func AppendFile(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.Write(text)
	return err
}

// Transcripts returns the logs of a home, except the prompt history.
func Transcripts(t testing.TB, home string) (paths []string) {
	t.Helper()
	Must(t, filepath.WalkDir(home, func(path string, d fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".jsonl" && filepath.Base(path) != "history.jsonl" {
			paths = append(paths, path)
		}
		return err
	}))
	return paths
}

// BigLine returns a message to append to a Claude Code log.
func BigLine(n, size int) []byte {
	return fmt.Appendf(nil, `{"type":"user","uuid":"%08x-0000-4000-8000-%012x","sessionId":"s","timestamp":%q,"message":{"role":"user","content":"%s"}}`+"\n",
		n, n, time.Unix(1767225600+int64(n), 0).UTC().Format(time.RFC3339), bytes.Repeat([]byte("x"), size))
}

package engine_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"

	"hindsql/engine"
	"hindsql/readers"
	"hindsql/readers/all"
	"hindsql/readers/sample"
)

// ids are those that tell sessions, lines, messages and calls apart.
var ids = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b(msg|toolu|req)_[A-Za-z0-9]+`)

// copyIDs gives the n-th copy's ids.
func copyIDs(text []byte, n int) []byte {
	return ids.ReplaceAllFunc(text, func(id []byte) []byte {
		if bytes.IndexByte(id, '_') > 0 {
			return fmt.Appendf(nil, "%s%04d", id, n)
		}
		head, _ := strconv.ParseUint(string(id[:8]), 16, 32)
		return fmt.Appendf(nil, "%08x%s", uint32(head)^uint32(n), id[8:])
	})
}

// makeTree writes a home of n copies of the sample, each with ids of its own.
func makeTree(t testing.TB, n int) (home string) {
	t.Helper()
	from, err := sample.Write(t.TempDir())
	must(t, err)
	home = t.TempDir()
	for i := range n {
		must(t, filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			rel, _ := filepath.Rel(from, path)
			return appendFile(filepath.Join(home, string(copyIDs([]byte(rel), i))), copyIDs(text, i))
		}))
	}
	return home
}

func appendFile(path string, text []byte) error {
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

// transcripts are the logs of a home but for the prompt history.
func transcripts(t testing.TB, home string) (paths []string) {
	t.Helper()
	must(t, filepath.WalkDir(home, func(path string, d fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".jsonl" && filepath.Base(path) != "history.jsonl" {
			paths = append(paths, path)
		}
		return err
	}))
	return paths
}

// bigLine is a message that a log may grow by.
func bigLine(n, size int) []byte {
	return fmt.Appendf(nil, `{"type":"user","uuid":"%08x-0000-4000-8000-%012x","sessionId":"s","timestamp":%q,"message":{"role":"user","content":"%s"}}`+"\n",
		n, n, time.Unix(1767225600+int64(n), 0).UTC().Format(time.RFC3339), bytes.Repeat([]byte("x"), size))
}

// realConfig reads a home with the agents' own readers.
func realConfig(home, store string) engine.Config {
	return engine.Config{
		Store: store, Readers: all.Readers(), Hostname: "here", Timezone: "UTC",
		Host: readers.Host{OS: "linux", Home: home, Getenv: func(string) string { return "" }},
	}
}

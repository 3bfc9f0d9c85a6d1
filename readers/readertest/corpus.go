package readertest

import (
	"os"
	"path/filepath"
	"testing"
)

// Corpus is the home folder of a collection of real logs, as the agents would
// leave it: $HINDSQL_CORPUS, else ../shared/corpus/home beside the repository.
// Without one the test is skipped: real logs are no part of the repository.
func Corpus(t testing.TB) string {
	t.Helper()
	home := os.Getenv("HINDSQL_CORPUS")
	if home == "" {
		home = filepath.Join(moduleRoot(t), "..", "shared", "corpus", "home")
	}
	if _, err := os.Stat(home); err != nil {
		t.Skipf("no real logs: set HINDSQL_CORPUS to a home folder that has some (%v)", err)
	}
	return home
}

// moduleRoot is the folder of go.mod, at or above the test's own.
func moduleRoot(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			t.Fatal("no go.mod at or above the test's folder")
		}
		dir = parent
	}
}

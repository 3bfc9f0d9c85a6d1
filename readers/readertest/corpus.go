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
	return present(t, corpusHome(t))
}

// CorpusOf is the home folder of another collection, which lies in a folder of
// the given name beside that of [Corpus]. Without one the test is skipped.
func CorpusOf(t testing.TB, name string) string {
	t.Helper()
	return present(t, filepath.Join(filepath.Dir(corpusHome(t)), name, "home"))
}

func corpusHome(t testing.TB) string {
	t.Helper()
	if home := os.Getenv("HINDSQL_CORPUS"); home != "" {
		return home
	}
	return filepath.Join(moduleRoot(t), "..", "shared", "corpus", "home")
}

// present gives the folder back, or skips the test where there is none.
func present(t testing.TB, home string) string {
	t.Helper()
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

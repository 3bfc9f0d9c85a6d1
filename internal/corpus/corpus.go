// Package corpus finds collections of real logs, for tests. They are no part of the
// repository: a test that needs one is skipped where it is absent.
//
// In: $HINDSQL_CORPUS, the folder of the collections, else ../shared/corpus beside
// the repository. Out: the home folder of one, as agents would leave it.
package corpus

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hindsql/internal/whole"
)

// Home is the home folder of a collection: home is one itself, each other, such as
// recent, has one inside. Without it, and in a quick run, the test is skipped.
func Home(t testing.TB, name string) string {
	t.Helper()
	whole.Test(t, "reads real logs")
	home, ok := Find(t, name)
	if !ok {
		t.Skipf("no real logs: there is no %s; HINDSQL_CORPUS names the folder that has home, recent and others", home)
	}
	return home
}

// Find is Home for those who can do without: ok says that the folder is there.
func Find(t testing.TB, name string) (home string, ok bool) {
	t.Helper()
	folder := os.Getenv("HINDSQL_CORPUS")
	switch root := repository(t); {
	case folder == "":
		folder = filepath.Join(root, "..", "shared", "corpus")
	case !filepath.IsAbs(folder):
		folder = filepath.Join(root, folder) // each test runs in a folder of its own
	}
	home = filepath.Join(folder, name)
	if name != "home" {
		home = filepath.Join(home, "home")
	}
	info, err := os.Stat(home)
	return home, err == nil && info.IsDir()
}

// Sample is the home folder of the logs that the repository has itself, made up.
func Sample(t testing.TB) string {
	t.Helper()
	return filepath.Join(repository(t), "readers", "sample", "home")
}

// repository is the folder of the module hindsql, at or above the test's own.
func repository(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if text, err := os.ReadFile(filepath.Join(dir, "go.mod")); err == nil && strings.HasPrefix(string(text), "module hindsql\n") {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			t.Fatal("no go.mod of hindsql at or above the test's folder")
		}
		dir = parent
	}
}

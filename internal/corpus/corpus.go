// Package corpus finds collections of real logs, for tests. The collections are not
// part of the repository: tests without their collection are skipped.
//
// In: $HINDSQL_CORPUS, the folder of the collections; if unset, ../shared/corpus beside
// the repository. Out: the home folder of a collection, as left by agents.
package corpus

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hindsql/internal/whole"
)

// Home returns the home folder of a collection. Collection home is a home folder; any
// other collection, such as recent, contains a folder home. The test is skipped if the
// folder is missing, and in a quick run.
func Home(t testing.TB, name string) string {
	t.Helper()
	whole.Test(t, "reads real logs")
	home, ok := Find(t, name)
	if !ok {
		t.Skipf("no real logs: there is no %s; HINDSQL_CORPUS names the folder that has home, recent and others", home)
	}
	return home
}

// Find returns the folder of Home for tests with or without logs. ok reports whether
// the folder exists.
func Find(t testing.TB, name string) (home string, ok bool) {
	t.Helper()
	folder := os.Getenv("HINDSQL_CORPUS")
	switch root := repository(t); {
	case folder == "":
		folder = filepath.Join(root, "..", "shared", "corpus")
	case !filepath.IsAbs(folder):
		folder = filepath.Join(root, folder) // relative to the repository, because each test runs in its package's folder
	}
	home = filepath.Join(folder, name)
	if name != "home" {
		home = filepath.Join(home, "home")
	}
	info, err := os.Stat(home)
	return home, err == nil && info.IsDir()
}

// Sample returns the home folder of the made-up logs in the repository.
func Sample(t testing.TB) string {
	t.Helper()
	return filepath.Join(repository(t), "readers", "sample", "home")
}

// repository returns the folder of the module hindsql, at or above the test's folder.
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

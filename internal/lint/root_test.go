// Package lint_test checks the rules of the house: allowed imports, allowed places of
// libraries, sizes of files and functions, and pages and lists that match the code. The
// tests read the whole repository, so some imports come from upper rooms.
package lint_test

import (
	"io/fs"
	"os"
	"path"
	"testing"
)

// root is the repository. The tests don't change their folder: go test would take its
// cached result, as it looks for the files that they read in the folder of the package.
var root = os.DirFS("../..")

func read(t *testing.T, p string) string {
	t.Helper()
	text, err := fs.ReadFile(root, p)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// glob returns the paths that match a pattern. A pattern may end in a slash.
func glob(t *testing.T, pattern string) []string {
	t.Helper()
	paths, err := fs.Glob(root, path.Clean(pattern))
	if err != nil {
		t.Fatalf("%s: %v", pattern, err)
	}
	return paths
}

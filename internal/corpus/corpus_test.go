package corpus_test

import (
	"os"
	"path/filepath"
	"testing"

	"hindsql/internal/corpus"
	"hindsql/internal/whole"
)

// TestFind checks $HINDSQL_CORPUS, the folder of all collections. A relative path
// starts at the repository.
func TestFind(t *testing.T) {
	folder := t.TempDir()
	for _, home := range []string{"home", "recent/home", "file"} {
		if err := os.MkdirAll(filepath.Join(folder, home), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(folder, "file", "home"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		variable, name, home string
		ok                   bool
	}{
		{folder, "home", filepath.Join(folder, "home"), true},
		{folder, "recent", filepath.Join(folder, "recent", "home"), true},
		{folder, "more", filepath.Join(folder, "more", "home"), false},
		{folder, "file", filepath.Join(folder, "file", "home"), false},
		{filepath.Join(folder, "home"), "home", filepath.Join(folder, "home", "home"), false},
		{"collections", "recent", filepath.Join(root, "collections", "recent", "home"), false},
	} {
		t.Setenv("HINDSQL_CORPUS", test.variable)
		if home, ok := corpus.Find(t, test.name); home != test.home || ok != test.ok {
			t.Errorf("%s of %s: %s, %v, want %s, %v", test.name, test.variable, home, ok, test.home, test.ok)
		}
	}
	t.Setenv("HINDSQL_CORPUS", "")
	if home, _ := corpus.Find(t, "home"); home != filepath.Join(filepath.Dir(root), "shared", "corpus", "home") {
		t.Errorf("without the variable: %s", home)
	}
}

// TestHome checks that a test is skipped if its collection is missing, and runs
// otherwise.
func TestHome(t *testing.T) {
	whole.Test(t, "quick runs have no real logs")
	t.Setenv("HINDSQL_CORPUS", t.TempDir())
	if err := os.MkdirAll(filepath.Join(os.Getenv("HINDSQL_CORPUS"), "home"), 0o700); err != nil {
		t.Fatal(err)
	}
	var after []string
	for _, name := range []string{"home", "recent"} {
		t.Run(name, func(t *testing.T) {
			corpus.Home(t, name)
			after = append(after, name)
		})
	}
	if len(after) != 1 || after[0] != "home" {
		t.Errorf("went on with %v", after)
	}
}

package atomicfile_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hindsql/internal/atomicfile"
)

// TestReal checks that real paths have no links and a single spelling, and keep the
// spelling of missing parts.
func TestReal(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	at := func(path string) string { return filepath.Join(dir, filepath.FromSlash(path)) }
	err = errors.Join(err, os.MkdirAll(at("Work/shop"), 0o700), os.MkdirAll(at("Other"), 0o700), os.WriteFile(at("Work/é"), nil, 0o600))
	if err != nil {
		t.Fatal(err)
	}
	_ = errors.Join(os.Symlink(at("Work"), at("link")), os.Symlink(at("ring"), at("ring"))) // a right on Windows
	want := map[string]string{"Work/shop": "Work/shop", "Work/shop/gone/Deep": "Work/shop/gone/Deep", "gone": "gone", "Work/é/x": "Work/é/x"}
	if _, err := os.Lstat(at("link")); err == nil {
		want["link"], want["link/shop"], want["link/gone"], want["ring/x"] = "Work", "Work/shop", "Work/gone", "ring/x"
	}
	spelt := func(path string) string { return path }
	if _, err := os.Stat(at("wORK")); err == nil {
		want["wORK/SHOP/Gone"], want["WORK/É"] = "Work/shop/Gone", "Work/é"
		spelt = strings.ToLower // as some caseless file systems list all names
	} else {
		t.Log("only one spelling: the file system here tells upper from lower case")
		want["wORK/SHOP"] = "wORK/SHOP"
	}
	reals := atomicfile.NewReals()
	for path, real := range want {
		for range 2 {
			if got := reals.Of(at(path)); spelt(got) != spelt(at(real)) || got != reals.Of(got) {
				t.Errorf("%s is %s, want %s", path, got, at(real))
			}
		}
	}
	if got := atomicfile.Real("Work"); got != "Work" {
		t.Errorf("a path that counts from anywhere is %s", got)
	}
}

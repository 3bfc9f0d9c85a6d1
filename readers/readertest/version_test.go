package readertest

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestCommitted: only a file of the current commit counts as committed.
func TestCommitted(t *testing.T) {
	dir := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		c := exec.CommandContext(t.Context(), "git", append([]string{"-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"}, args...)...)
		c.Dir = dir
		if out, err := c.CombinedOutput(); err != nil {
			t.Skipf("git %v: %v: %s", args, err, out)
		}
	}
	is := func(want bool) {
		t.Helper()
		if isCommitted(t.Context(), filepath.Join(dir, versionFile)) != want {
			t.Errorf("committed is not %v", want)
		}
	}
	is(true) // for all that is known
	git("init", "-q")
	git("commit", "-q", "--allow-empty", "-m", "first")
	is(false)
	if err := os.WriteFile(filepath.Join(dir, versionFile), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	is(false)
	git("add", versionFile)
	git("commit", "-q", "-m", "second")
	is(true)
}

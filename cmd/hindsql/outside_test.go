package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hindsql/internal/posix"
)

// TestInstallOutside: a link that leads out of the repository is followed only after a
// question of its own, which --yes doesn't answer.
func TestInstallOutside(t *testing.T) {
	posix.Links(t)
	t.Parallel()
	for answer, want := range map[string]bool{"": false, "n\n": false, "y\n": true} {
		e, stdout, stderr := outside(t, "skill", "install", "--scope", "project", "--agent", "claude", "--yes")
		repo := filepath.Join(e.home, "repo")
		if err := errors.Join(os.MkdirAll(filepath.Join(repo, ".git"), 0o700), os.MkdirAll(filepath.Join(repo, ".claude"), 0o700),
			os.MkdirAll(filepath.Join(e.home, "victims"), 0o700),
			os.Symlink(filepath.Join(e.home, "victims"), filepath.Join(repo, ".claude", "skills"))); err != nil {
			t.Fatal(err)
		}
		e.folder = repo
		e.stdin, e.stdinTerminal = strings.NewReader(answer), answer != ""
		code := execute(context.Background(), e)
		text, _ := os.ReadFile(filepath.Join(e.home, "victims", "hindsql", "SKILL.md"))
		if wrote := strings.Contains(string(text), "hindsql"); wrote != want || (code == exitOK) != want {
			t.Errorf("%q: written %v, exit code %d\n%s%s", answer, wrote, code, stdout, stderr)
		}
		if told := stdout.String() + stderr.String(); !strings.Contains(told, "leads out of the repository, to") || !strings.Contains(told, "victims") {
			t.Errorf("%q: the target isn't shown\n%s", answer, told)
		}
	}
}

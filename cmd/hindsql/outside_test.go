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
	for _, c := range []struct {
		command, link, target, writes, agent string
	}{
		{"mcp", ".mcp.json", "victim.json", "victim.json", "claude"},
		{"skill", ".claude/skills", "victims", "victims/hindsql/SKILL.md", "claude"},
	} {
		for answer, want := range map[string]bool{"": false, "n\n": false, "y\n": true} {
			e, stdout, stderr := outside(t, c.command, "install", "--scope", "project", "--agent", c.agent, "--yes")
			repo := filepath.Join(e.home, "repo")
			link := filepath.Join(repo, filepath.FromSlash(c.link))
			if err := errors.Join(os.MkdirAll(filepath.Join(repo, ".git"), 0o700), os.MkdirAll(filepath.Dir(link), 0o700),
				os.MkdirAll(filepath.Join(e.home, "victims"), 0o700), os.WriteFile(filepath.Join(e.home, "victim.json"), []byte("{}\n"), 0o600),
				os.Symlink(filepath.Join(e.home, c.target), link)); err != nil {
				t.Fatal(err)
			}
			e.folder = repo
			e.stdin, e.stdinTerminal = strings.NewReader(answer), answer != ""
			code := run(context.Background(), e)
			text, _ := os.ReadFile(filepath.Join(e.home, filepath.FromSlash(c.writes)))
			if wrote := strings.Contains(string(text), "hindsql"); wrote != want || (code == exitOK) != want {
				t.Errorf("%s %q: written %v, exit code %d\n%s%s", c.command, answer, wrote, code, stdout, stderr)
			}
			if told := stdout.String() + stderr.String(); !strings.Contains(told, "leads out of the repository, to") || !strings.Contains(told, c.target) {
				t.Errorf("%s %q: the target isn't shown\n%s", c.command, answer, told)
			}
		}
	}
}

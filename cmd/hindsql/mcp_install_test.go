package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestInstallAsks: a settings file is written only if the answer is yes.
func TestInstallAsks(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]bool{"y\n": true, "YES\n": true, "n\n": false, "\n": false, "": false, "yep\n": false} {
		e, stdout, stderr := outside(t, "mcp", "install", "--agent", "neovate")
		e.stdin, e.stdinTerminal = strings.NewReader(answer), true
		if code := run(context.Background(), e); code != exitOK {
			t.Errorf("%q: exit code %d: %s", answer, code, stderr)
		}
		text, err := os.ReadFile(filepath.Join(e.home, ".neovate", "config.json"))
		if (err == nil) != want || want != strings.Contains(string(text), `"hindsql"`) {
			t.Errorf("%q: %v, the file is\n%s", answer, err, text)
		}
		if got := stdout.String(); !strings.Contains(got, "Do this? [y/N]") || want == strings.Contains(got, "nothing was changed") {
			t.Errorf("%q: %s", answer, got)
		}
	}
}

package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestInstallAsks: a settings file is written when the answer is yes, and only
// then.
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

// TestProgramPath: a link to this program that PATH leads to is what stays when
// the program is replaced; another program of that name is none of ours.
func TestProgramPath(t *testing.T) {
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	link := filepath.Join(folder, serverName)
	if err := os.Symlink(own, link); err != nil {
		t.Skip(err) // a privilege on Windows
	}
	for _, c := range []struct {
		path, want string
		portable   bool
	}{{folder, link, false}, {folder, serverName, true}, {t.TempDir(), own, false}, {t.TempDir(), own, true}} {
		t.Setenv("PATH", c.path)
		if got, err := programPath(c.portable); err != nil || got != c.want {
			t.Errorf("portable %t: %s, %v; want %s", c.portable, got, err, c.want)
		}
	}
	if err := os.Remove(link); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(link, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", folder)
	if got, err := programPath(true); err != nil || got != own {
		t.Errorf("beside another program: %s, %v; want %s", got, err, own)
	}
}

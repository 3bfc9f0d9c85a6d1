package agents_test

import (
	"os"
	"path/filepath"
	"testing"

	"hindsql/cmd/hindsql/agents"
	"hindsql/cmd/hindsql/agents/register"
	"hindsql/internal/posix"
)

// TestProgram: if PATH has a link to this program, Program returns the link, because an
// update replaces the program but not the link. Program ignores another program with
// the same name on PATH.
func TestProgram(t *testing.T) {
	posix.Links(t)
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	link := filepath.Join(folder, register.ServerName)
	if filepath.Ext(own) == ".exe" {
		link += ".exe"
	}
	if err := os.Symlink(own, link); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path, want string
		portable   bool
	}{{folder, link, false}, {folder, register.ServerName, true}, {t.TempDir(), own, false}, {t.TempDir(), own, true}} {
		t.Setenv("PATH", c.path)
		if got, err := agents.Program(c.portable); err != nil || got != c.want {
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
	if got, err := agents.Program(true); err != nil || got != own {
		t.Errorf("beside another program: %s, %v; want %s", got, err, own)
	}
}

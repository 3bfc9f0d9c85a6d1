package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestRebuild checks that a package's script runs, and not in the user's home folder.
func TestRebuild(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("npm"); err != nil {
		t.Skip("npm isn't installed")
	}
	folder := t.TempDir()
	if err := prepare(folder); err != nil {
		t.Fatal(err)
	}
	toy := filepath.Join(folder, "node_modules", "toy")
	if err := os.MkdirAll(toy, 0o755); err != nil {
		t.Fatal(err)
	}
	text := `{"name": "toy", "version": "1.0.0", "scripts": {"postinstall": "echo $HOME > home.txt"}}`
	if err := os.WriteFile(filepath.Join(toy, "package.json"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := rebuild(context.Background(), folder, t.TempDir()); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(toy, "home.txt"))
	if want := filepath.Join(folder, "home"); err != nil || strings.TrimSpace(string(got)) != want {
		t.Errorf("%v: the script's home folder is %s, want %s", err, got, want)
	}
}

package regular_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hindsql/internal/regular"
)

// TestRead: Read returns a text up to the limit. A larger text, and a folder, are errors
// that name the path and the reason.
func TestRead(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "a.txt")
	if err := os.WriteFile(path, []byte("0123456789"), 0o600); err != nil {
		t.Fatal(err)
	}
	if text, err := regular.Read(path, 10); err != nil || string(text) != "0123456789" {
		t.Errorf("%q, %v", text, err)
	}
	for _, c := range []struct {
		path   string
		most   int64
		reason any
	}{{path, 9, new(*regular.TooLarge)}, {folder, 100, new(*regular.NotAFile)}} {
		text, err := regular.Read(c.path, c.most)
		if !errors.As(err, c.reason) || !strings.Contains(err.Error(), c.path) {
			t.Errorf("%s with %d bytes at most: %q, %v", c.path, c.most, text, err)
		}
	}
	if _, err := regular.Read(filepath.Join(folder, "none"), 10); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	if text, err := fs.ReadFile(regular.Dir(folder), "a.txt"); err != nil || string(text) != "0123456789" {
		t.Errorf("by a folder: %q, %v", text, err)
	}
}

// TestOpenIn: a root's files are opened, but not a folder, nor a file outside.
func TestOpenIn(t *testing.T) {
	folder := t.TempDir()
	root, err := os.OpenRoot(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if err := errors.Join(os.Mkdir(filepath.Join(folder, "b"), 0o700), os.WriteFile(filepath.Join(folder, "a"), []byte("text"), 0o600)); err != nil {
		t.Fatal(err)
	}
	if text, err := regular.ReadIn(root, "a", 4); err != nil || string(text) != "text" {
		t.Errorf("%q, %v", text, err)
	}
	for _, name := range []string{"b", "../x", "none"} {
		if _, err := regular.OpenIn(root, name); err == nil {
			t.Errorf("%s opens", name)
		}
	}
}

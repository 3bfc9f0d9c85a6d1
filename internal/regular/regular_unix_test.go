//go:build unix

package regular_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"hindsql/internal/regular"
)

// TestNotAFile: pipes, devices and circles of links are errors at once, also behind a
// link. A link to a file is the file. A named pipe without a writer would block.
func TestNotAFile(t *testing.T) {
	folder := t.TempDir()
	at := func(name string) string { return filepath.Join(folder, name) }
	if err := errors.Join(
		syscall.Mkfifo(at("pipe"), 0o600), os.Symlink("pipe", at("to-pipe")), os.Symlink("/dev/zero", at("zero")),
		os.Symlink("circle", at("circle")), os.WriteFile(at("file"), []byte("text"), 0o600), os.Symlink("file", at("to-file")),
	); err != nil {
		t.Fatal(err)
	}
	for name, kind := range map[string]fs.FileMode{
		"pipe": fs.ModeNamedPipe, "to-pipe": fs.ModeNamedPipe, "zero": fs.ModeDevice | fs.ModeCharDevice, "circle": fs.ModeSymlink,
	} {
		for way, try := range map[string]func() error{
			"read": func() error { _, err := regular.Read(at(name), regular.Own); return err },
			"open": func() error { _, err := regular.Open(at(name)); return err },
		} {
			var not *regular.NotAFile
			if err := try(); !errors.As(err, &not) || not.Kind != kind {
				t.Errorf("%s %s: %v", way, name, err)
			}
		}
	}
	if text, err := regular.Read(at("to-file"), regular.Own); err != nil || string(text) != "text" {
		t.Errorf("a link to a file: %q, %v", text, err)
	}
	if err := regular.Check(at("pipe")); !errors.As(err, new(*regular.NotAFile)) {
		t.Errorf("check of a pipe: %v", err)
	}
	if err := errors.Join(regular.Check(at("file")), regular.Check(at("none"))); err != nil {
		t.Error(err)
	}
}

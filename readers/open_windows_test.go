package readers

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/windows"

	"hindsql/tables"
)

// openAlone opens a file that no other handle may open.
func openAlone(t *testing.T, path string) (closeFile func()) {
	t.Helper()
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		t.Fatal(err)
	}
	h, err := windows.CreateFile(name, windows.GENERIC_READ, 0, nil, windows.OPEN_EXISTING, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	return func() { _ = windows.CloseHandle(h) }
}

// TestHeldLog: a log that its agent doesn't share is Unread, and read when the agent has
// closed it.
func TestHeldLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.log")
	if err := os.WriteFile(path, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := &Reader{Read: func(in *Input) error {
		f, err := in.Open()
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = io.ReadAll(f)
		return err
	}}
	closeFile := openAlone(t, path)
	_, err := r.TryLoad(Log{Path: path}, tables.Source{})
	if unread := (*Unread)(nil); !errors.As(err, &unread) || !strings.HasSuffix(err.Error(), `\a.log: another program has the file open, and shares it with none`) {
		t.Errorf("held: %v", err)
	}
	closeFile()
	if _, err := r.TryLoad(Log{Path: path}, tables.Source{}); err != nil {
		t.Errorf("closed: %v", err)
	}
}

// TestAgentMayReplace: while a log is read, its agent can rename and remove the log.
func TestAgentMayReplace(t *testing.T) {
	dir := t.TempDir()
	path, moved := filepath.Join(dir, "a.log"), filepath.Join(dir, "b.log")
	if err := os.WriteFile(path, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := errors.Join(os.Rename(path, moved), os.Remove(moved)); err != nil {
		t.Error(err)
	}
	if text, err := io.ReadAll(f); string(text) != "text" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
}

// TestImpossibleNames: a file that can't exist counts as missing.
func TestImpossibleNames(t *testing.T) {
	for _, name := range []string{"a?b", "a|b", strings.Repeat("a", 300)} {
		if _, err := OpenFile(filepath.Join(t.TempDir(), name)); err == nil || isTemporary(err) {
			t.Errorf("%.10s: %v", name, err)
		}
	}
}

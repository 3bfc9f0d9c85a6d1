// Package posix lets tests say what they ask of POSIX systems that Windows hasn't, or
// has in another form.
//
// In: a test, and what it needs. Out: the test, skipped with the reason where the system
// can't give that.
package posix

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

const windows = runtime.GOOS == "windows"

// Only skips the test on Windows and gives the reason.
func Only(t testing.TB, why string) {
	t.Helper()
	if windows {
		t.Skip("not for Windows:", why)
	}
}

// Links skips the test if this user can make no symbolic links: Windows asks for a
// right, and wine makes none but reports success.
func Links(t testing.TB) {
	t.Helper()
	link := filepath.Join(t.TempDir(), "link")
	err := os.Symlink("target", link)
	if err == nil {
		_, err = os.Lstat(link)
	}
	if err != nil {
		t.Skip("no symbolic links here:", err)
	}
}

// Mode checks who may use a file. Windows has no modes: a folder's access list protects
// its files.
func Mode(t testing.TB, path string, want fs.FileMode) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Error(err)
	} else if mode := info.Mode().Perm(); mode != want && !windows {
		t.Errorf("%s has the mode %o, want %o", path, mode, want)
	}
}

// Path returns an absolute path as this system writes it: on Windows, /a is C:\a or a
// folder of another drive.
func Path(slashed string) string {
	if abs, err := filepath.Abs(slashed); windows && err == nil {
		return abs
	}
	return slashed
}

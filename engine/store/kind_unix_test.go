//go:build unix

package store

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"hindsql/internal/regular"
)

// TestOwnFilesThatBlock: a pipe in place of a file beside the store is an error at once,
// and so is a file in place of a folder above the store. Both errors name the path.
func TestOwnFilesThatBlock(t *testing.T) {
	for _, ending := range []string{".wal", ".lock", ".turn"} {
		path := filepath.Join(t.TempDir(), "s.duckdb")
		if err := syscall.Mkfifo(path+ending, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := CheckKind(path); !errors.As(err, new(*regular.NotAFile)) || !strings.Contains(err.Error(), path+ending) {
			t.Errorf("%s: %v", ending, err)
		}
		if _, err := (File{path}).SyncLock(); (err != nil) != (ending == ".lock") {
			t.Errorf("%s: the sync's lock: %v", ending, err)
		}
	}
	file := filepath.Join(t.TempDir(), "data")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, below := range []string{"s.duckdb", "a/b/s.duckdb"} {
		if err := CheckKind(filepath.Join(file, below)); err == nil || !strings.Contains(err.Error(), file+": is no folder") {
			t.Errorf("%s: %v", below, err)
		}
	}
}

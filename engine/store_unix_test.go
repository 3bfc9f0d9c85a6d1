//go:build unix

package engine_test

import (
	"errors"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"hindsql/engine"
)

// TestStoreOfAnotherKind: hindsql refuses a path that isn't a file before opening the
// path, because opening a pipe may wait forever.
func TestStoreOfAnotherKind(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "pipe")
	must(t, syscall.Mkfifo(pipe, 0o600))
	kinds := map[string]string{pipe: "a named pipe", "/dev/null": "a device", t.TempDir(): "a folder"}
	if runtime.GOOS == "linux" {
		kinds["/proc/version"] = "a file of the proc file system"
	}
	for path, kind := range kinds {
		h := newHome(t)
		h.Store = path
		_, err := tryOpen(h.Config())
		if !errors.As(err, new(*engine.NotAStore)) || !strings.Contains(err.Error(), path+": "+kind) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

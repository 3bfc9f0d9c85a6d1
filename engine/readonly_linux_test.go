package engine_test

import (
	"context"
	"path/filepath"
	"syscall"
	"testing"

	"hindsql/engine"
)

// TestReadOnlyFileSystem: a store on a read-only file system opens and closes without
// an error.
func TestReadOnlyFileSystem(t *testing.T) {
	h := newHome(t)
	h.Write("a.jsonl", line(1, ""))
	h.Sync()
	folder := filepath.Dir(h.Store)
	if err := syscall.Mount(folder, folder, "", syscall.MS_BIND, ""); err != nil {
		t.Skip("nothing can be mounted here: ", err)
	}
	defer func() { must(t, syscall.Unmount(folder, 0)) }()
	must(t, syscall.Mount("", folder, "", syscall.MS_BIND|syscall.MS_REMOUNT|syscall.MS_RDONLY, ""))
	c := h.Config()
	st, err := engine.Open(context.Background(), c)
	must(t, err)
	must(t, st.Close())
}

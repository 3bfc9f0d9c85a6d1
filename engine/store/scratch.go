package store

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"hindsql/internal/lockfile"
)

// Scratch makes a folder for temporary files of one use, such as export. It also
// removes folders of the same use with a free lock, because killed processes left them.
// Folders younger than a minute stay: a process may not have locked the folder yet. The
// caller calls drop to remove the folder.
func Scratch(use string) (dir string, drop func(), err error) {
	name := "hindsql-" + use + "-"
	left, _ := filepath.Glob(filepath.Join(os.TempDir(), name+"*", "lock"))
	for _, path := range left {
		info, err := os.Stat(path)
		lock, noFile := lockfile.Of(path, os.O_RDWR)
		if err != nil || noFile != nil {
			continue
		}
		if free, err := lock.TryLock(); err == nil && free && time.Since(info.ModTime()) > time.Minute {
			_ = os.RemoveAll(filepath.Dir(path))
		}
		_ = lock.Close()
	}
	if dir, err = os.MkdirTemp("", name); err != nil {
		return "", nil, err
	}
	lock, err := lockfile.New(filepath.Join(dir, "lock"))
	if err != nil {
		return "", nil, err
	}
	drop = func() {
		_ = lock.Close()
		_ = os.RemoveAll(dir)
	}
	if _, err = lock.TryLock(); err != nil {
		drop()
		return "", nil, fmt.Errorf("%s: %w", dir, err)
	}
	return dir, drop, nil
}

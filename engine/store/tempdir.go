package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"

	"hindsql/internal/lockfile"
	"hindsql/internal/pattern"
)

// Spill is the folder of a DuckDB instance for data beyond its memory limit. DuckDB
// makes the folder when it needs it. A lock beside the folder shows that the folder's
// process lives. The process number in the folder's name doesn't, because systems reuse
// numbers.
type Spill struct {
	Folder string
	lock   *lockfile.Lock
}

// instances counts the DuckDB instances of this process.
var instances atomic.Int64

// NewSpill names a folder beside the store and takes its lock, if possible.
func NewSpill(store string) *Spill {
	o := &Spill{Folder: fmt.Sprintf("%s.session-%d-%d.tmp", store, os.Getpid(), instances.Add(1))}
	o.Claim()
	return o
}

// Claim takes the lock if this Spill doesn't have it yet. Claim fails silently if the
// store's folder doesn't exist yet or is read-only. An existing lock file of this name
// is a killed process's. If another process removes this file meanwhile, Claim makes a
// new file.
func (o *Spill) Claim() {
	for range 3 {
		if o.lock != nil {
			return
		}
		lock, err := lockfile.New(o.Folder + spillLock)
		if err != nil {
			return
		}
		if locked, err := lock.TryLock(); err != nil || !locked {
			_ = lock.Close()
			continue
		}
		if Exists(lock.Path()) {
			o.lock = lock
			return
		}
		_ = lock.Unlock()
	}
}

// Close removes the folder and its lock.
func (o *Spill) Close() (err error) {
	if Exists(o.Folder) { // read-only file systems refuse to remove even missing folders
		err = os.RemoveAll(o.Folder)
	}
	if o.lock != nil {
		removeLock(o.lock)
	}
	return err
}

// removeLock releases a lock and removes its file.
func removeLock(lock *lockfile.Lock) {
	_ = os.Remove(lock.Path())
	_ = lock.Unlock()
	_ = os.Remove(lock.Path()) // again, for systems that keep open files
}

const spillLock = ".lock"

// IsOpen reports whether a process has a DuckDB instance for the store: the process
// holds the lock of the instance's spill folder.
func IsOpen(store string) bool {
	locks, _ := filepath.Glob(escapeGlob(store) + ".session-*" + spillLock)
	return slices.ContainsFunc(locks, func(path string) bool {
		lock, err := lockfile.Of(path, os.O_RDWR)
		if err != nil {
			return false
		}
		defer lock.Close()
		free, err := lock.TryLock()
		return err == nil && !free
	})
}

var spillName = pattern.Lazy(`\.session-(\d+)-\d+\.tmp(\.lock)?$`)

// removeSpills removes the spill folders of processes that were killed.
func removeSpills(store string) {
	names, _ := filepath.Glob(escapeGlob(store) + ".session-*")
	seen := map[string]bool{}
	for _, name := range names {
		if m := spillName.FindStringSubmatch(name); m != nil {
			folder := name[:len(name)-len(m[2])]
			if !seen[folder] {
				pid, _ := strconv.Atoi(m[1])
				removeSpill(folder, pid)
			}
			seen[folder] = true
		}
	}
}

// removeSpill removes a folder if no process holds its lock. A folder without a lock is
// removed if no process has its number.
func removeSpill(folder string, pid int) {
	if !Exists(folder + spillLock) {
		if !isAlive(pid) {
			_ = os.RemoveAll(folder)
		}
		return
	}
	lock, err := lockfile.Of(folder+spillLock, os.O_RDWR)
	if err != nil {
		return
	}
	locked, err := lock.TryLock()
	if err != nil || !locked {
		_ = lock.Close()
		return
	}
	_ = os.RemoveAll(folder)
	removeLock(lock)
}

// isAlive reports whether a process has the number. If the system doesn't tell, the
// answer is true.
func isAlive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	err = errors.Join(p.Signal(syscall.Signal(0)), p.Release())
	return err == nil || errors.Is(err, fs.ErrPermission)
}

// escapeGlob turns a path into a pattern that matches only this path.
func escapeGlob(path string) string {
	return regexp.MustCompile(`[*?\[]`).ReplaceAllString(path, "[$0]")
}

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

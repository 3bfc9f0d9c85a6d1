package engine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"sync/atomic"
	"syscall"

	"github.com/gofrs/flock"
)

// ownSpill is a folder for what one DuckDB has no memory for, which DuckDB makes
// when it comes to that. A lock beside it says that its process lives: a number
// of a process may be another's by now.
type ownSpill struct {
	folder string
	lock   *flock.Flock
}

// instances counts the DuckDBs that this process started.
var instances atomic.Int64

func newSpill(store string) *ownSpill {
	o := &ownSpill{folder: fmt.Sprintf("%s.session-%d-%d.tmp", store, os.Getpid(), instances.Add(1))}
	o.claim()
	return o
}

// claim takes the lock, unless it is taken, or can't be: where the store's
// folder isn't there yet, or takes no files. A file of that name is of a process
// that was killed, or is being removed as such: then this one's is made anew.
func (o *ownSpill) claim() {
	for range 3 {
		if o.lock != nil {
			return
		}
		lock := flock.New(o.folder+spillLock, flock.SetPermissions(0o600))
		if locked, err := lock.TryLock(); err != nil || !locked {
			_ = lock.Close()
			continue
		}
		if onThisDisk(lock.Path()) {
			o.lock = lock
			return
		}
		_ = lock.Unlock()
	}
}

func (o *ownSpill) close() (err error) {
	if onThisDisk(o.folder) { // a read-only file system refuses to remove even a folder that isn't there
		err = os.RemoveAll(o.folder)
	}
	if o.lock != nil {
		_ = os.Remove(o.lock.Path())
		_ = o.lock.Unlock()
		_ = os.Remove(o.lock.Path()) // there still where open files can't be removed
	}
	return err
}

const spillLock = ".lock"

var spillName = regexp.MustCompile(`\.session-(\d+)-\d+\.tmp(\.lock)?$`)

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

// removeSpill removes a folder whose lock nobody holds; one that has none, if
// there is no such process.
func removeSpill(folder string, pid int) {
	if !onThisDisk(folder + spillLock) {
		if !isAlive(pid) {
			_ = os.RemoveAll(folder)
		}
		return
	}
	lock := flock.New(folder+spillLock, flock.SetFlag(os.O_RDWR))
	locked, err := lock.TryLock()
	if err != nil || !locked {
		_ = lock.Close()
		return
	}
	_ = os.RemoveAll(folder)
	_ = os.Remove(lock.Path())
	_ = lock.Unlock()
	_ = os.Remove(lock.Path())
}

// isAlive says that there is a process of that number, or that nobody can tell.
func isAlive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	err = errors.Join(p.Signal(syscall.Signal(0)), p.Release())
	return err == nil || errors.Is(err, fs.ErrPermission)
}

// escapeGlob is a path as a pattern that only it matches.
func escapeGlob(path string) string {
	return regexp.MustCompile(`[*?\[]`).ReplaceAllString(path, "[$0]")
}

//go:build unix

package atomicfile

import (
	"errors"
	"os"
	"syscall"
)

// lockFile locks the file until f is closed. It returns errHeld if another process has
// the lock, or the error of a disk without locks.
func lockFile(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return errHeld
	}
	return err
}

// keepLock keeps the lock of a file that is about to be closed. The lock ends when the
// caller calls release.
func keepLock(f *os.File) (release func()) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	fd, err := syscall.Dup(int(f.Fd()))
	if err != nil {
		return func() {}
	}
	syscall.CloseOnExec(fd)
	return func() { _ = syscall.Close(fd) }
}

// sweepFile removes a file that no process holds.
func sweepFile(path string) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return
	}
	defer f.Close()
	if lockFile(f) == nil && isStill(f) {
		os.Remove(path)
	}
}

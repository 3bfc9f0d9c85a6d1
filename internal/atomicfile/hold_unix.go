//go:build unix

package atomicfile

import (
	"errors"
	"os"
	"syscall"
)

// hold holds the file until it is closed. The error is errHeld where somebody else
// does, else that of a disk without locks.
func hold(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return errHeld
	}
	return err
}

// keep goes on holding a file that is to be closed, until the function is called.
func keep(f *os.File) (release func()) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	fd, err := syscall.Dup(int(f.Fd()))
	if err != nil {
		return func() {}
	}
	syscall.CloseOnExec(fd)
	return func() { _ = syscall.Close(fd) }
}

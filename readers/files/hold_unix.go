//go:build unix

package files

import (
	"os"
	"syscall"
)

// hold says that nobody else holds the file. It ends when the file is closed.
func hold(f *os.File) bool {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
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

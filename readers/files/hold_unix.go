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

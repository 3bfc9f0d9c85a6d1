//go:build !windows

package regular

import (
	"errors"
	"os"
	"syscall"
)

// openShared opens a file for reading, without waiting for a pipe's writer.
func openShared(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
}

func isCircle(err error) bool { return errors.Is(err, syscall.ELOOP) }

//go:build !windows

package readers

import (
	"os"
	"syscall"
)

// openShared opens a file for reading, without waiting for a pipe's writer.
func openShared(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
}

// lastingErrors are errors for a name that no file can have.
var lastingErrors = []error{syscall.ENAMETOOLONG}

func inWords(err error) string { return err.Error() }

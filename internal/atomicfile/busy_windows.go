package atomicfile

import (
	"errors"
	"syscall"
)

// Windows' codes for a file that another program has open, see "System Error Codes" in
// Microsoft's documentation. A rename over an open file gives the first.
const (
	accessDenied     = syscall.Errno(5)
	sharingViolation = syscall.Errno(32)
	lockViolation    = syscall.Errno(33)
)

// IsBusy reports whether the error may mean that another program has the file open.
// Windows gives the same error for a file that the user may not write to.
func IsBusy(err error) bool {
	return errors.Is(err, accessDenied) || IsOpen(err)
}

// IsOpen reports whether the error means that another program has the file open.
func IsOpen(err error) bool {
	return errors.Is(err, sharingViolation) || errors.Is(err, lockViolation)
}

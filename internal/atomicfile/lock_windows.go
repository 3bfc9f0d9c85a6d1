package atomicfile

import (
	"errors"
	"os"
	"syscall"
)

// lockFile does nothing: a file counts as held while it is open, see sweepFile.
func lockFile(*os.File) error { return nil }

// keepLock holds a file that is about to be closed and renamed. Its handle allows others
// to rename and remove the file.
func keepLock(f *os.File) (release func()) {
	h, err := open(f.Name(), syscall.GENERIC_READ, syscall.FILE_SHARE_READ|syscall.FILE_SHARE_WRITE|syscall.FILE_SHARE_DELETE, 0)
	if err != nil {
		return func() {}
	}
	return func() { _ = syscall.CloseHandle(h) }
}

// sweepFile removes a file that no process has open. Windows refuses a handle that
// shares nothing while another handle exists, and removes the file when this handle
// closes. So no process can open the file in between.
func sweepFile(path string) {
	const rightToDelete, deleteOnClose = 0x00010000, 0x04000000 // DELETE, FILE_FLAG_DELETE_ON_CLOSE
	if h, err := open(path, rightToDelete, 0, deleteOnClose); err == nil {
		_ = syscall.CloseHandle(h)
	}
}

func open(path string, access, share, flags uint32) (syscall.Handle, error) {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return 0, err
	}
	return syscall.CreateFile(name, access, share, nil, syscall.OPEN_EXISTING, flags|syscall.FILE_ATTRIBUTE_NORMAL, 0)
}

// Windows' codes for a file that another program has open, see "System Error Codes" in
// Microsoft's documentation. A rename over an open file gives the first.
const (
	accessDenied     = syscall.Errno(5)
	sharingViolation = syscall.Errno(32)
	lockViolation    = syscall.Errno(33)
)

// IsBusy reports whether the error may mean that another program has the file open.
// Windows gives the same error for a file that the user may not write to.
func IsBusy(err error) bool { return errors.Is(err, accessDenied) || IsOpen(err) }

// IsOpen reports whether the error means that another program has the file open.
func IsOpen(err error) bool { return errors.Is(err, sharingViolation) || errors.Is(err, lockViolation) }

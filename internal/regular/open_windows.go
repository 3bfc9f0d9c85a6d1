package regular

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// openShared opens a file for reading. Meanwhile the agent may write, rename and remove
// the file; os.Open would make the agent's rename fail.
func openShared(path string) (*os.File, error) {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	const share = syscall.FILE_SHARE_READ | syscall.FILE_SHARE_WRITE | syscall.FILE_SHARE_DELETE
	// With FILE_FLAG_BACKUP_SEMANTICS, folders open, too, and the caller's error names the folder.
	h, err := syscall.CreateFile(name, syscall.GENERIC_READ, share, nil, syscall.OPEN_EXISTING, syscall.FILE_FLAG_BACKUP_SEMANTICS, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(h), path), nil
}

// cantResolve is Windows' code for a circle of links, ERROR_CANT_RESOLVE_FILENAME.
const cantResolve = syscall.Errno(1921)

func isCircle(err error) bool { return errors.Is(err, cantResolve) }

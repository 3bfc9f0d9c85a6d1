package readers

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/windows"
)

// openShared opens a file for reading. Meanwhile the agent may write, rename and remove
// the file; os.Open would make the agent's rename fail.
func openShared(path string) (*os.File, error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	const share = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE
	// With FILE_FLAG_BACKUP_SEMANTICS, folders open, too, and the caller's error names the folder.
	h, err := windows.CreateFile(name, windows.GENERIC_READ, share, nil, windows.OPEN_EXISTING, windows.FILE_FLAG_BACKUP_SEMANTICS, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(h), path), nil
}

// lastingErrors are errors for a name that no file can have.
var lastingErrors = []error{windows.ERROR_INVALID_NAME, windows.ERROR_DIRECTORY, windows.ERROR_FILENAME_EXCED_RANGE, windows.ERROR_BAD_PATHNAME}

// inWords returns the system's words, or plain ones for a file that another program has
// open: Windows' are in the user's language, and end with a full stop.
func inWords(err error) string {
	at := (*fs.PathError)(nil)
	switch {
	case !errors.As(err, &at):
		return err.Error()
	case errors.Is(err, syscall.Errno(windows.ERROR_SHARING_VIOLATION)):
		return at.Path + ": another program has the file open, and shares it with none"
	case errors.Is(err, syscall.Errno(windows.ERROR_LOCK_VIOLATION)):
		return at.Path + ": another program has locked a part of the file"
	}
	return err.Error()
}

package readers

import (
	"errors"
	"io/fs"
	"syscall"

	"golang.org/x/sys/windows"
)

// permanentErrors are errors for a name that no file can have, and for a circle of links.
var permanentErrors = []error{windows.ERROR_INVALID_NAME, windows.ERROR_DIRECTORY, windows.ERROR_FILENAME_EXCED_RANGE, windows.ERROR_BAD_PATHNAME, windows.ERROR_CANT_RESOLVE_FILENAME}

// diskErrorText returns the system's words, or plain ones for a file that another
// program has open: Windows' are in the user's language, and end with a full stop.
func diskErrorText(err error) string {
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

package store

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
)

// Unwritable is the error of a store that can be read and not written to: on a
// read-only file system, on a full disk, or as somebody else's.
type Unwritable struct {
	Path string
	Err  error // the disk's, in Go's words or DuckDB's
}

// Error names the file, and the disk's reason alone: DuckDB's words around it
// name a file beside the store.
func (u *Unwritable) Error() string {
	return fmt.Sprintf("store: %s: can't be written to: %s", u.Path, ReasonOf(u.Err))
}

// Unwrap is the disk's error.
func (u *Unwritable) Unwrap() error { return u.Err }

// refusals are what a disk says to a writer. DuckDB hands on the system's words
// only, and none where the limit of a spill folder, which follows the disk's room,
// was met, or where it couldn't move its log into the file.
var refusals = []struct {
	err    error
	words  string
	reason string // for people; empty for the words
}{
	{syscall.EROFS, "read-only file system", ""},
	{syscall.ENOSPC, "no space left on device", ""},
	{syscall.EDQUOT, "disk quota exceeded", ""},
	{syscall.EFBIG, "file too large", ""},
	{fs.ErrPermission, "permission denied", ""},
	{syscall.EPERM, "operation not permitted", ""},
	{nil, "max_temp_directory_size", "no space for temporary files"},
	{nil, "checkpoint during detach failed", "its log could not be written into it"},
}

// reasonOf is the refusal in an error; empty for an error of another kind.
func ReasonOf(err error) string {
	if err == nil {
		return ""
	}
	text := strings.ToLower(err.Error())
	for _, r := range refusals {
		if r.err != nil && errors.Is(err, r.err) || strings.Contains(text, r.words) {
			return cmp.Or(r.reason, r.words)
		}
	}
	return ""
}

package store

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
)

// Unwritable is the error of a store that is readable but not writable: on a read-only
// file system, on a full disk, or owned by another user.
type Unwritable struct {
	Path string
	Err  error // the disk's, in Go's words or DuckDB's
}

// Error names the store's file and the disk's reason. It leaves out the rest of DuckDB's
// message, which names a temporary file instead of the store.
func (u *Unwritable) Error() string {
	return fmt.Sprintf("store: %s: can't be written to: %s", u.Path, ReasonOf(u.Err))
}

// Unwrap is the disk's error.
func (u *Unwritable) Unwrap() error { return u.Err }

// refusals are errors of a disk that refuses a write. DuckDB passes on the system's
// error only as text. The last two texts are DuckDB's own. One means a full spill
// folder, with a limit set by the free space. The other means that DuckDB couldn't move
// the write-ahead log into the store's file.
var refusals = append(diskRefusals, []refusal{
	{syscall.EROFS, "read-only file system", ""},
	{syscall.ENOSPC, "no space left on device", ""},
	{syscall.EDQUOT, "disk quota exceeded", ""},
	{syscall.EFBIG, "file too large", ""},
	{fs.ErrPermission, "permission denied", ""},
	{syscall.EPERM, "operation not permitted", ""},
	{nil, "max_temp_directory_size", "no space for temporary files"},
	{nil, "checkpoint during detach failed", "its log could not be written into it"},
}...)

// refusal is an error of a disk, and DuckDB's text for it, in lower case.
type refusal struct {
	err    error
	words  string
	reason string // for people; empty for words
}

// ReasonOf is the disk's reason in the error of a write; empty for other errors.
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

//go:build unix

package sqlite

import (
	"io"
	"syscall"
)

// isLocked reports whether another process writes a database or is about to: it holds
// more than SQLite's SHARED lock. F_GETLK takes no lock, and ignores the locks of this
// process. This process has none, because closing any descriptor of a file would drop
// them. known is false if db isn't on the disk, or the file system has no locks.
func isLocked(db file) (yes, known bool) {
	disk, ok := db.(onDisk)
	if !ok {
		return false, false
	}
	at, ok := disk.file.(syscall.Conn)
	if !ok {
		return false, false
	}
	raw, err := at.SyscallConn()
	if err != nil {
		return false, false
	}
	asked := syscall.Flock_t{Type: syscall.F_RDLCK, Whence: io.SeekStart, Start: pendingByte, Len: lockBytes}
	var failed error
	err = raw.Control(func(fd uintptr) { failed = syscall.FcntlFlock(fd, syscall.F_GETLK, &asked) })
	if err != nil || failed != nil {
		return false, false
	}
	return asked.Type != syscall.F_UNLCK, true
}

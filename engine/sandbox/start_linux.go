package sandbox

import (
	"os"

	"golang.org/x/sys/unix"
)

// ownPath returns the file of this program, even after an upgrade replaced the file.
func ownPath() (string, error) {
	const own = "/proc/self/exe"
	if _, err := os.Stat(own); err != nil {
		return os.Executable()
	}
	return own, nil
}

// widen enlarges a pipe from 64 KiB to 1 MiB, the most that a user may request. Large
// messages then need fewer writes.
func widen(f *os.File) {
	if raw, err := f.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { _, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, 1<<20) })
	}
}

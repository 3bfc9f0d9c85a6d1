package sandbox

import (
	"os"

	"golang.org/x/sys/unix"
)

// ownPath is the file of this program, even after an upgrade has replaced it.
func ownPath() (string, error) {
	const own = "/proc/self/exe"
	if _, err := os.Stat(own); err != nil {
		return os.Executable()
	}
	return own, nil
}

// widen has a pipe hold 1 MiB, which is the most that a user may ask for, instead
// of 64 KiB: large messages take fewer turns.
func widen(f *os.File) {
	if raw, err := f.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { _, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, 1<<20) })
	}
}

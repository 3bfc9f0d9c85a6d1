//go:build unix

package sandbox

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// environment has nothing of the parent's. Times are UTC, as if no clock of the
// machine were known.
func environment() []string { return []string{"TZ=UTC", quietCrashes} }

// takePipes are the worker's ends of the pipes, under other numbers: what reads
// stdin finds nothing, and a stray print goes to stderr instead of between
// messages. Files that the worker makes are its user's only, for it may change no
// file's mode.
func takePipes() (in, out *os.File, err error) {
	unix.Umask(0o077)
	if in, err = move(0, "calls"); err != nil {
		return nil, nil, err
	}
	if out, err = move(1, "replies"); err != nil {
		return nil, nil, err
	}
	nothing, end, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = errors.Join(nothing.Close(), end.Close()) }()
	if err = unix.Dup2(int(nothing.Fd()), 0); err == nil {
		err = unix.Dup2(2, 1)
	}
	return in, out, err
}

// move is a descriptor under another number, which nothing inherits.
func move(fd int, name string) (*os.File, error) {
	to, err := unix.FcntlInt(uintptr(fd), syscall.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, os.NewSyscallError("fcntl", err)
	}
	return os.NewFile(uintptr(to), name), nil
}

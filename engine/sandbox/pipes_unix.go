//go:build unix

package sandbox

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// environment returns a worker's environment, without the parent's variables. Times are
// UTC, independent of the machine's clock settings.
func environment() []string { return []string{"TZ=UTC", quietCrashes} }

// movePipes returns the worker's ends of the pipes under other numbers. Afterwards,
// stdin is empty, and prints go to stderr instead of between messages. New files belong
// to the user alone, because the worker can't change a file's mode.
func movePipes() (in, out *os.File, err error) {
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

// move returns a copy of a descriptor under another number, not inherited by other
// processes.
func move(fd int, name string) (*os.File, error) {
	to, err := unix.FcntlInt(uintptr(fd), syscall.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, os.NewSyscallError("fcntl", err)
	}
	return os.NewFile(uintptr(to), name), nil
}

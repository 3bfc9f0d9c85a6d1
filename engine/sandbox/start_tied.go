//go:build linux || freebsd

package sandbox

import "syscall"

// attributes: no key of a terminal reaches the worker, and it ends with the thread
// that has started it.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

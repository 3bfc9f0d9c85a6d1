//go:build linux || freebsd

package sandbox

import "syscall"

// attributes keeps a terminal's keys such as Ctrl-C from the worker. The worker ends
// with the thread that started the worker.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

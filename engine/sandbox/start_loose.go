//go:build unix && !linux && !freebsd

package sandbox

import "syscall"

// attributes keeps a terminal's keys such as Ctrl-C from the worker.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

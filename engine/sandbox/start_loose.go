//go:build unix && !linux && !freebsd

package sandbox

import "syscall"

// attributes: no key of a terminal reaches the worker.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

//go:build unix && !linux

package sandbox

import (
	"os"
	"syscall"
)

func ownPath() (string, error) { return os.Executable() }

// attributes: no key of a terminal reaches the worker.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func widen(*os.File) {}

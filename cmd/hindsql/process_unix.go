//go:build unix

package main

import (
	"os/signal"
	"syscall"
)

// prepareProcess makes all new files private to the user. It also turns a file size
// limit into a write error. By default the limit would end the process in the middle of
// a write.
func prepareProcess() {
	syscall.Umask(0o077)
	signal.Ignore(syscall.SIGXFSZ)
}

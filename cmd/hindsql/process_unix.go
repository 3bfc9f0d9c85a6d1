//go:build unix

package main

import (
	"os/signal"
	"syscall"
)

// prepareProcess has the system give whatever the program makes to its user
// alone, and lets a limit on the size of files be an error of the write, where it
// would end the process in the midst of one.
func prepareProcess() {
	syscall.Umask(0o077)
	signal.Ignore(syscall.SIGXFSZ)
}

//go:build unix

package main

import (
	"os/signal"
	"syscall"
)

// hangupIgnored reports whether this process was started with nohup.
func hangupIgnored() bool { return signal.Ignored(syscall.SIGHUP) }

//go:build !unix

package main

// hangupIgnored returns false: this system has no SIGHUP.
func hangupIgnored() bool { return false }

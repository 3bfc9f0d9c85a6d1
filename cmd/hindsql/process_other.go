//go:build !unix && !windows

package main

// prepareProcess does nothing: files in a user's folders are private on this system.
func prepareProcess() {}

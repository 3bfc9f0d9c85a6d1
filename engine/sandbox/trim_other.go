//go:build !linux

package sandbox

import "runtime/debug"

// Trim returns Go's unused memory to the system. The memory of C libraries remains.
func Trim() { debug.FreeOSMemory() }

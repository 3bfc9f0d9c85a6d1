//go:build !linux

package sandbox

import "runtime/debug"

// FreeMemory returns Go's unused memory to the system. The memory of C libraries remains.
func FreeMemory() { debug.FreeOSMemory() }

//go:build !linux

package sandbox

import "runtime/debug"

// Trim gives memory that nobody uses any more back to the system: Go's. What
// libraries in C keep is the system's to say.
func Trim() { debug.FreeOSMemory() }

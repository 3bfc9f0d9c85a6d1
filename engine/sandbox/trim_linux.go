package sandbox

// #include <malloc.h>
import "C"

import "runtime/debug"

// Trim gives memory that nobody uses any more back to the system: Go's and that of
// libraries in C, which keep it after a large piece of work.
func Trim() {
	debug.FreeOSMemory()
	C.malloc_trim(0)
}

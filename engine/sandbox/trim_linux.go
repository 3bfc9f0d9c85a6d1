package sandbox

// #include <malloc.h>
import "C"

import "runtime/debug"

// FreeMemory returns unused memory to the system: Go's, and the memory that C libraries
// keep after a large task.
func FreeMemory() {
	debug.FreeOSMemory()
	C.malloc_trim(0)
}

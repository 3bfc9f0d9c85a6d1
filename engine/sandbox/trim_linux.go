package sandbox

// #include <malloc.h>
import "C"

import "runtime/debug"

// Trim returns unused memory to the system: Go's, and the memory that C libraries keep
// after a large task.
func Trim() {
	debug.FreeOSMemory()
	C.malloc_trim(0)
}

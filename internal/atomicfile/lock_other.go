//go:build !unix && !windows

package atomicfile

import "os"

// lockFile does nothing.
func lockFile(*os.File) error { return nil }

// keepLock does nothing.
func keepLock(*os.File) (release func()) { return func() {} }

// sweepFile removes nothing: a file may belong to a living process.
func sweepFile(string) {}

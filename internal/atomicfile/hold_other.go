//go:build !unix && !windows

package atomicfile

import "os"

// hold does nothing.
func hold(*os.File) error { return nil }

// keep does nothing.
func keep(*os.File) (release func()) { return func() {} }

// sweepFile removes nothing: a file may belong to a living process.
func sweepFile(string) {}

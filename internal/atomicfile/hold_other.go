//go:build !unix

package atomicfile

import "os"

// hold leaves it to the system: an open file can't be removed there.
func hold(*os.File) error { return nil }

// keep has nothing to hold.
func keep(*os.File) (release func()) { return func() {} }

//go:build !unix

package atomicfile

import "os"

// hold does nothing: these systems don't remove open files.
func hold(*os.File) error { return nil }

// keep does nothing, as hold.
func keep(*os.File) (release func()) { return func() {} }

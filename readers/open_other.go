//go:build !windows

package readers

import "syscall"

// lastingErrors are errors for a name that no file can have.
var lastingErrors = []error{syscall.ENAMETOOLONG}

func inWords(err error) string { return err.Error() }

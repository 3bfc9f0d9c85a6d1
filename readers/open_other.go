//go:build !windows

package readers

import "syscall"

// lastingErrors are errors for a name that no file can have, and for a circle of links.
var lastingErrors = []error{syscall.ENAMETOOLONG, syscall.ELOOP}

func inWords(err error) string { return err.Error() }

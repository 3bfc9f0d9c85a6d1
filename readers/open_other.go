//go:build !windows

package readers

import "syscall"

// permanentErrors are errors for a name that no file can have, and for a circle of links.
var permanentErrors = []error{syscall.ENAMETOOLONG, syscall.ELOOP}

func diskErrorText(err error) string { return err.Error() }

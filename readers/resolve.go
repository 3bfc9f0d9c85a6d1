package readers

import "fmt"

// onKernel is the error of a link to a file system whose files the kernel generates,
// such as /proc.
type onKernel struct {
	path, system string
	isFolder     bool
}

// Error names the file system.
func (o *onKernel) Error() string {
	return fmt.Sprintf("%s: leads onto a %s file system, where the kernel makes up files; the link is not followed", o.path, o.system)
}

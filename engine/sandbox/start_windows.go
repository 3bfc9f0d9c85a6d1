package sandbox

import (
	"os"
	"syscall"
)

// attributes keeps a console's Ctrl-C from the worker, and opens no window.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{HideWindow: true, CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// environment returns the variables for Windows to load its own libraries.
func environment() (all []string) {
	for _, name := range []string{"SystemRoot", "SystemDrive", "windir"} {
		if value, ok := os.LookupEnv(name); ok {
			all = append(all, name+"="+value)
		}
	}
	return append(all, quietCrashes)
}

// movePipes returns the worker's ends of the pipes. Prints to stdout go to stderr.
func movePipes() (in, out *os.File, err error) {
	in, out = os.Stdin, os.Stdout
	nothing, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	os.Stdin, os.Stdout = nothing, os.Stderr
	return in, out, err
}

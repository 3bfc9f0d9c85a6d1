package sandbox

// #include "landlock_linux.h"
import "C"

import (
	"fmt"
	"syscall"
)

// locks sets the locks that Go can set, and returns the state of all locks. Files were
// already locked before Go started.
func locks() []Lock {
	c := &C.sandbox_confined
	privileges := Lock{Name: "new privileges"}
	files, network := Lock{Name: "other files (Landlock)"}, Lock{Name: "TCP (Landlock)"}
	if c.privileges != 0 {
		privileges.Missing = syscall.Errno(c.privileges).Error()
	}
	switch {
	case c.ran == 0:
		files.Missing = "it didn't run before Go"
	case c.abi == 0 && c.landlock == C.int(syscall.EOPNOTSUPP):
		files.Missing = "it is off in this kernel"
	case c.abi == 0 && c.landlock == C.int(syscall.ENOSYS):
		files.Missing = "this kernel has none"
	case c.landlock != 0:
		files.Missing = fmt.Sprintf("%s: %v", C.GoString(c.at), syscall.Errno(c.landlock))
	}
	network.Missing = files.Missing
	if network.Missing == "" && c.abi < 4 {
		network.Missing = fmt.Sprintf("this kernel's has version %d, and 4 is needed", c.abi)
	}
	calls := Lock{Name: "sockets and programs (seccomp)"}
	if err := refuseCalls(); err != nil {
		calls.Missing = err.Error()
	}
	return []Lock{privileges, files, network, calls}
}

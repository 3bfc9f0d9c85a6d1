//go:build darwin || freebsd

package readers

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// devices gives a function that names the device of a path, from the kernel's list
// of mounts, see getfsstat(2). With MNT_NOWAIT no file system is asked.
func devices() func(path string) string {
	n, err := unix.Getfsstat(nil, unix.MNT_NOWAIT)
	if err != nil {
		return deviceIn(nil)
	}
	all := make([]unix.Statfs_t, n+8)
	if n, err = unix.Getfsstat(all, unix.MNT_NOWAIT); err != nil {
		return deviceIn(nil)
	}
	var list []mount
	for i := range all[:n] {
		list = append(list, mount{unix.ByteSliceToString(all[i].Mntonname[:]), fmt.Sprint(all[i].Fsid)})
	}
	return deviceIn(list)
}

// ofKernel are file systems whose files the kernel makes up, by the names that
// statfs(2) gives. To read such a file may wait for an event.
var ofKernel = map[string]bool{"devfs": true, "procfs": true, "fdescfs": true, "linprocfs": true, "linsysfs": true}

// OfKernel names the file system of a path if the kernel makes up its files, such as
// proc; empty for any other file system.
func OfKernel(path string) string {
	var fs unix.Statfs_t
	if unix.Statfs(path, &fs) != nil {
		return ""
	}
	if name := unix.ByteSliceToString(fs.Fstypename[:]); ofKernel[name] {
		return name
	}
	return ""
}

package readers

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// devices gives a function that names the device of a path, from the kernel's list
// of mounts.
func devices() func(path string) string {
	text, _ := os.ReadFile("/proc/self/mountinfo") // without it, all is one device
	return deviceIn(mountsOf(string(text)))
}

// Where the parts of a line of /proc/self/mountinfo stand, see proc(5).
const (
	mountDevice = 2
	mountPoint  = 4
)

func mountsOf(mountinfo string) (list []mount) {
	for line := range strings.Lines(mountinfo) {
		if parts := strings.Fields(line); len(parts) > mountPoint {
			list = append(list, mount{unescaped(parts[mountPoint]), parts[mountDevice]})
		}
	}
	return list
}

// unescaped puts characters in the place of their octal codes: a space is \040.
func unescaped(s string) string {
	before, rest, ok := strings.Cut(s, `\`)
	if !ok || len(rest) < 3 {
		return s
	}
	code, err := strconv.ParseUint(rest[:3], 8, 8)
	if err != nil {
		return before + `\` + unescaped(rest)
	}
	return before + string([]byte{byte(code)}) + unescaped(rest[3:])
}

// ofKernel are file systems whose files the kernel makes up, by the numbers that
// statfs(2) gives. To read such a file may wait for an event, and may take it from
// whoever else waits, as /proc/kmsg and tracing's trace_pipe do.
var ofKernel = map[uint32]string{
	unix.PROC_SUPER_MAGIC:    "proc",
	unix.SYSFS_MAGIC:         "sysfs",
	unix.DEVPTS_SUPER_MAGIC:  "devpts",
	unix.DEBUGFS_MAGIC:       "debugfs",
	unix.TRACEFS_MAGIC:       "tracefs",
	unix.SECURITYFS_MAGIC:    "securityfs",
	unix.CGROUP_SUPER_MAGIC:  "cgroup",
	unix.CGROUP2_SUPER_MAGIC: "cgroup2",
	unix.PSTOREFS_MAGIC:      "pstore",
	unix.EFIVARFS_MAGIC:      "efivarfs",
	unix.BPF_FS_MAGIC:        "bpf",
	unix.SELINUX_MAGIC:       "selinuxfs",
	unix.SMACK_MAGIC:         "smackfs",
	unix.BINFMTFS_MAGIC:      "binfmt_misc",
	unix.NSFS_MAGIC:          "nsfs",
}

// OfKernel names the file system of a path if the kernel makes up its files, such as
// proc; empty for any other file system. The devtmpfs of /dev has the number of any tmpfs, such as
// /dev/shm, and is told by its device.
func OfKernel(path string) string {
	var fs unix.Statfs_t
	if unix.Statfs(path, &fs) != nil {
		return ""
	}
	if fs.Type == unix.TMPFS_MAGIC && isDevices(path) {
		return "devtmpfs"
	}
	return ofKernel[uint32(fs.Type)]
}

// isDevices says whether a path lies on the file system of /dev, where that is one
// of its own.
func isDevices(path string) bool {
	var here, dev, top unix.Stat_t
	if isBelow("/dev/shm", path) || unix.Stat(path, &here) != nil || unix.Stat("/dev", &dev) != nil || unix.Stat("/", &top) != nil {
		return false
	}
	return here.Dev == dev.Dev && dev.Dev != top.Dev
}

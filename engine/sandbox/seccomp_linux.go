package sandbox

import (
	"fmt"
	"runtime"
	"unsafe"

	seccomp "github.com/elastic/go-seccomp-bpf"
	"github.com/elastic/go-seccomp-bpf/arch"
	"golang.org/x/sys/unix"
)

// refused lists system calls that Go and DuckDB don't need in a worker. These calls
// reach other programs, machines and users, circumvent Landlock, or have effects beyond
// the worker's end.
var refused = []string{
	"socket", "socketpair", "connect", "bind", "listen", "accept", "accept4", "sendto", "sendmsg", "sendmmsg",
	"execve", "execveat", "fork", "vfork",
	"ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "kcmp", "pidfd_open", "pidfd_getfd", "pidfd_send_signal",
	"kill", "tkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "setrlimit",
	"io_uring_setup", "io_uring_enter", "io_uring_register", "open_by_handle_at", "name_to_handle_at", "memfd_create", "memfd_secret",
	"chmod", "fchmod", "fchmodat", "fchmodat2", "chown", "fchown", "lchown", "fchownat", "utime", "utimes", "futimesat", "utimensat",
	"setxattr", "lsetxattr", "fsetxattr", "setxattrat", "removexattr", "lremovexattr", "fremovexattr", "removexattrat",
	"mount", "umount2", "pivot_root", "chroot", "unshare", "setns", "open_tree", "move_mount", "fsopen", "fsmount", "mount_setattr",
	"bpf", "perf_event_open", "userfaultfd", "fanotify_init", "add_key", "request_key", "keyctl",
	"shmget", "semget", "msgget", "mq_open",
	"init_module", "finit_module", "delete_module", "kexec_load", "kexec_file_load", "reboot", "swapon", "swapoff", "quotactl", "acct", "syslog",
	"settimeofday", "clock_settime", "clock_adjtime", "adjtimex", "sethostname", "setdomainname",
}

// refuseCalls makes the kernel refuse the calls in all threads, present and future.
func refuseCalls() error {
	known, err := arch.GetInfo("")
	if err != nil || runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		return fmt.Errorf("calls of %s aren't known", runtime.GOARCH)
	}
	refuse := seccomp.SyscallGroup{Action: seccomp.ActionErrno | seccomp.Action(unix.EPERM)}
	for _, name := range refused {
		if _, ok := known.SyscallNames[name]; ok { // newer systems on arm64 have no fork or chmod
			refuse.Names = append(refuse.Names, name)
		}
	}
	for name, condition := range map[string]seccomp.Condition{
		"clone":     {Argument: 0, Operation: seccomp.BitsNotSet, Value: unix.CLONE_THREAD}, // threads are allowed, processes aren't
		"prlimit64": {Argument: 2, Operation: seccomp.NotEqual, Value: 0},                   // reading is allowed
		"prctl":     {Argument: 0, Operation: seccomp.Equal, Value: unix.PR_SET_PDEATHSIG},  // the worker must end with its parent
	} {
		refuse.NamesWithCondtions = append(refuse.NamesWithCondtions, seccomp.NameWithConditions{Name: name, Conditions: seccomp.ArgumentConditions{condition}})
	}
	// A filter can't see the flags of clone3. If clone3 is missing, the C library calls
	// clone.
	unknown := seccomp.SyscallGroup{Action: seccomp.ActionErrno | seccomp.Action(unix.ENOSYS), Names: []string{"clone3"}}
	if err := seccomp.LoadFilter(seccomp.Filter{NoNewPrivs: true, Flag: seccomp.FilterFlagTSync, Policy: seccomp.Policy{
		DefaultAction: seccomp.ActionAllow, Syscalls: []seccomp.SyscallGroup{refuse, unknown},
	}}); err != nil {
		return err
	}
	return refuseOtherABIs(uint32(known.ID))
}

// refuseOtherABIs refuses system calls by another architecture's numbers, which the
// library allows: programs of amd64 can make calls of 386.
func refuseOtherABIs(own uint32) error {
	const archOffset = 4 // in struct seccomp_data
	filter := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: archOffset},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: own, Jf: 1},
		{Code: unix.BPF_RET | unix.BPF_K, K: uint32(seccomp.ActionAllow)},
		{Code: unix.BPF_RET | unix.BPF_K, K: uint32(seccomp.ActionErrno) | uint32(unix.ENOSYS)},
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	thread, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&program)))
	switch {
	case errno != 0:
		return fmt.Errorf("calls of other architectures: %w", errno)
	case thread != 0:
		return fmt.Errorf("thread %d has a filter of its own", thread)
	}
	return nil
}

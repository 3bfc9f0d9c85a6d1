package sandbox

import (
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"unsafe"

	seccomp "github.com/elastic/go-seccomp-bpf"
	"github.com/elastic/go-seccomp-bpf/arch"
	"golang.org/x/sys/unix"

	"hindsql/internal/regular"
)

// bound is the parent's view of a worker's memory: the file with its sizes, in pages.
type bound struct{ sizes *os.File }

func newBound(p *os.Process, _ int64) (*bound, error) {
	sizes, err := regular.Open(fmt.Sprintf("/proc/%d/statm", p.Pid))
	if err != nil {
		return nil, fmt.Errorf("its memory can't be watched: %w", err)
	}
	return &bound{sizes}, nil
}

func (b *bound) release() { _ = b.sizes.Close() }

func (b *bound) look() (s size, err error) {
	var text [256]byte
	n, err := b.sizes.ReadAt(text[:], 0)
	if n == 0 {
		return s, err
	}
	s, _, err = readSizes(string(text[:n]))
	return s, err
}

// readSizes reads a statm. shared is the part of resident memory that belongs to files.
func readSizes(text string) (s size, shared int64, err error) {
	var all, code, libraries int64
	if _, err := fmt.Sscan(text, &all, &s.resident, &shared, &code, &libraries, &s.asked); err != nil {
		return s, 0, fmt.Errorf("statm: %w", err)
	}
	page := int64(os.Getpagesize())
	return size{s.resident * page, s.asked * page}, shared * page, nil
}

// confine sets the worker's bounds. The 100 MB or so reserved by Go at its start, but
// never touched, don't count.
func confine(arguments []string) error {
	o, err := readBounds(arguments)
	if err != nil {
		return err
	}
	text, err := regular.Read("/proc/self/statm", regular.Own)
	if err != nil {
		return err
	}
	s, shared, err := readSizes(string(text))
	if err != nil {
		return err
	}
	untouched := max(0, s.asked-(s.resident-shared))
	signal.Ignore(syscall.SIGXFSZ) // the write of a file that is too long then returns an error
	for _, b := range []struct {
		name  string
		which int
		most  int64
	}{
		{"RLIMIT_DATA", syscall.RLIMIT_DATA, o.Memory + untouched},
		{"RLIMIT_FSIZE", syscall.RLIMIT_FSIZE, o.Disk},
		{"RLIMIT_CORE", syscall.RLIMIT_CORE, 0},
	} {
		var now syscall.Rlimit
		if err := syscall.Getrlimit(b.which, &now); err != nil {
			return fmt.Errorf("%s: %w", b.name, err)
		}
		most := min(uint64(b.most), now.Max) // the user's own limit may be lower
		if err := syscall.Setrlimit(b.which, &syscall.Rlimit{Cur: most, Max: most}); err != nil {
			return fmt.Errorf("%s of %d: %w", b.name, most, err)
		}
	}
	return nil
}

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

// ownPath returns the file of this program, even after an upgrade replaced the file.
func ownPath() (string, error) {
	const own = "/proc/self/exe"
	if _, err := os.Stat(own); err != nil {
		return os.Executable()
	}
	return own, nil
}

// widen enlarges a pipe from 64 KiB to 1 MiB, the most that a user may request. Large
// messages then need fewer writes.
func widen(f *os.File) {
	if raw, err := f.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { _, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, 1<<20) })
	}
}

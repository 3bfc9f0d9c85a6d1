package sandbox

import (
	"database/sql"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	_ "github.com/duckdb/duckdb-go/v2"
	"github.com/elastic/go-seccomp-bpf/arch"
	"golang.org/x/sys/unix"
)

// outsideOf holds targets outside of the worker's folder.
type outsideOf struct {
	File, Folder, Address string
	Parent                int
}

// The locks that refuse attempts.
const (
	files = "other files (Landlock)"
	calls = "sockets and programs (seccomp)"
)

// attempts are forbidden actions of a worker, with the lock that must stop each.
var attempts = []struct {
	name, lock string
	errno      syscall.Errno
	try        func(o outsideOf) error
}{
	{"read a file", files, syscall.EACCES, func(o outsideOf) error { _, err := os.ReadFile(o.File); return err }},
	{"read the system's users", files, syscall.EACCES, func(outsideOf) error { _, err := os.ReadFile("/etc/passwd"); return err }},
	{"read its parent's environment", files, syscall.EACCES, func(o outsideOf) error {
		_, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", o.Parent))
		return err
	}},
	{"list a folder", files, syscall.EACCES, func(o outsideOf) error { _, err := os.ReadDir(o.Folder); return err }},
	{"make a file", files, syscall.EACCES, func(o outsideOf) error { return os.WriteFile(o.Folder+"/new", nil, 0o600) }},
	{"empty a file", files, syscall.EACCES, func(o outsideOf) error { return os.Truncate(o.File, 0) }},
	{"remove a file", files, syscall.EACCES, func(o outsideOf) error { return os.Remove(o.File) }},
	{"take a file into its folder", files, syscall.EACCES, func(o outsideOf) error {
		if err := os.Link(o.File, "taken"); !errors.Is(err, syscall.EXDEV) { // Landlock refuses with EXDEV
			return err
		}
		return syscall.EACCES
	}},
	{"make a link in its folder", files, syscall.EACCES, func(o outsideOf) error { return os.Symlink(o.File, "link") }},
	{"connect", calls, syscall.EPERM, func(o outsideOf) error { _, err := net.Dial("tcp", o.Address); return err }},
	{"connect to a socket of this machine", calls, syscall.EPERM, func(outsideOf) error { _, err := net.Dial("unix", "/run/x"); return err }},
	{"start a program", calls, syscall.EPERM, func(outsideOf) error { _, err := syscall.ForkExec("/proc/self/exe", nil, nil); return err }},
	{"become a program", calls, syscall.EPERM, func(outsideOf) error { return syscall.Exec("/proc/self/exe", nil, nil) }},
	{"trace its parent", calls, syscall.EPERM, func(o outsideOf) error { return syscall.PtraceAttach(o.Parent) }},
	{"signal its parent", calls, syscall.EPERM, func(o outsideOf) error { return syscall.Kill(o.Parent, 0) }},
	{"open a file of others", calls, syscall.EPERM, func(o outsideOf) error { return os.Chmod(o.File, 0o666) }},
	{"outlive its parent", calls, syscall.EPERM, func(outsideOf) error { return unix.Prctl(unix.PR_SET_PDEATHSIG, 0, 0, 0, 0) }},
	{"lift its bound", calls, syscall.EPERM, func(outsideOf) error {
		return unix.Prlimit(0, unix.RLIMIT_DATA, &unix.Rlimit{Cur: unix.RLIM_INFINITY, Max: unix.RLIM_INFINITY}, nil)
	}},
	{"hide its flags", calls, syscall.ENOSYS, func(outsideOf) error {
		_, _, errno := syscall.RawSyscall(unix.SYS_CLONE3, 0, 0, 0)
		return errno
	}},
}

// attempt describes how a worker's attempt ended, empty if the lock refused.
func attempt(number int, o outsideOf) string {
	a := attempts[number]
	switch err := a.try(o); {
	case err == nil:
		return "it succeeded"
	case !errors.Is(err, a.errno):
		return fmt.Sprintf("%v, want %v", err, a.errno)
	}
	return ""
}

func TestLocks(t *testing.T) {
	open, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close()
	o := outsideOf{Folder: t.TempDir(), Address: open.Addr().String(), Parent: os.Getpid()}
	o.File = filepath.Join(o.Folder, "file")
	if err := os.WriteFile(o.File, []byte("of the user"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := started(t, nil)
	for i, a := range attempts {
		t.Run(a.name, func(t *testing.T) {
			needs(t, p, a.lock)
			var wrong string
			if _, err := p.Go("attempt", map[string]any{"Number": i, "Outside": o}, nil).Reply(&wrong); err != nil || wrong != "" {
				t.Error(wrong, err)
			}
		})
	}
	if text, err := os.ReadFile(o.File); err != nil || string(text) != "of the user" {
		t.Errorf("the file outside is %q now, %v", text, err)
	}
}

// needs skips a test if this machine lacks the lock.
func needs(t *testing.T, p *Process, name string) {
	t.Helper()
	for _, lock := range p.Hello().Locks {
		switch {
		case lock.Name != name:
		case lock.Missing != "":
			t.Skipf("%s doesn't hold on this machine: %s", lock.Name, lock.Missing)
		default:
			return
		}
	}
	t.Fatalf("Hello doesn't tell of %s: %+v", name, p.Hello())
}

// TestRefusedCallsAreKnown: a misspelt call would be allowed.
func TestRefusedCallsAreKnown(t *testing.T) {
	known, err := arch.GetInfo("amd64")
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range refused {
		if _, ok := known.SyscallNames[name]; !ok || slices.Contains(refused[:i], name) {
			t.Errorf("%s is no call, or stands twice", name)
		}
	}
}

// TestDuckDBRunsBehindTheLocks: DuckDB opens, sorts more rows than its memory holds on
// all threads, and keeps its spill and a database file in the worker's folder.
func TestDuckDBRunsBehindTheLocks(t *testing.T) {
	var folder string
	p := started(t, func(o *Options) { folder = o.Folder })
	q := p.Go("duckdb", nil, nil)
	spilled := false
	for running := true; running; {
		select {
		case <-q.Done():
			running = false
		case <-time.After(5 * time.Millisecond):
			found, err := filepath.Glob(filepath.Join(folder, "spill", "*"))
			if err != nil {
				t.Fatal(err)
			}
			spilled = spilled || len(found) > 0
		}
	}
	var said string
	if _, err := q.Reply(&said); err != nil || said != "1000000 rows, 16 a row" {
		t.Errorf("DuckDB says %q, %v", said, err)
	}
	if !spilled {
		t.Error("nothing was spilled")
	}
	if info, err := os.Stat(filepath.Join(folder, "rows.duckdb")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("others may read its file: %v, %v", info, err)
	}
}

// duckDB sorts rows that need more memory than allowed.
func duckDB() (string, error) {
	db, err := sql.Open("duckdb", "")
	if err != nil {
		return "", err
	}
	defer db.Close()
	for _, set := range []string{"SET temp_directory = 'spill'", "SET memory_limit = '40MB'", "SET threads = 2",
		"ATTACH 'rows.duckdb' AS own", "CREATE TABLE own.t AS FROM range(100000)", "CHECKPOINT own", "DELETE FROM own.t", "CHECKPOINT own"} {
		if _, err := db.Exec(set); err != nil {
			return "", err
		}
	}
	var rows, length int
	err = db.QueryRow(`SELECT count(*), max(length(text)) FROM (
		SELECT text, row_number() OVER (ORDER BY text) AS n FROM (SELECT left(md5(range::VARCHAR), 16) AS text FROM range(1000000)))`).Scan(&rows, &length)
	return fmt.Sprintf("%d rows, %d a row", rows, length), err
}

// TestNothingIsInherited: the parent's open descriptors are closed in a worker, even
// without O_CLOEXEC.
func TestNothingIsInherited(t *testing.T) {
	fd, err := syscall.Open("/etc/passwd", syscall.O_RDONLY, 0) // no O_CLOEXEC
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(fd)
	p := started(t, nil)
	var open []string
	if _, err := p.Go("descriptors", nil, nil).Reply(&open); err != nil || len(open) == 0 {
		t.Fatal(open, err)
	}
	for _, one := range open {
		if strings.Contains(one, "/etc/passwd") {
			t.Errorf("the worker has %q", open)
		}
	}
}

// descriptors returns the paths of open files.
func descriptors() (open []string) {
	for fd := range 200 {
		if to, err := os.Readlink(fmt.Sprint("/proc/self/fd/", fd)); err == nil {
			open = append(open, to)
		}
	}
	return open
}

package readers

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

func TestMounts(t *testing.T) {
	const text = `21 26 0:19 / /sys rw,nosuid shared:7 - sysfs sysfs rw
26 1 254:1 / / rw,relatime shared:1 - ext4 /dev/vda1 rw
90 26 0:52 / /mnt/a\040b\134c rw - fuse.sshfs host: rw
cut
`
	want := []mount{{"/sys", "0:19"}, {"/", "254:1"}, {`/mnt/a b\c`, "0:52"}}
	if diff := gocmp.Diff(want, mountsOf(text), gocmp.AllowUnexported(mount{})); diff != "" {
		t.Error("(-want +got)\n" + diff)
	}
}

// TestLinksOntoTheKernel: a link to a file system whose files the kernel generates,
// like /proc, is not followed. It isn't followed even if another link there leads back
// to a disk. /dev/shm counts as a disk.
func TestLinksOntoTheKernel(t *testing.T) {
	t.Parallel()
	root := logsIn(t, "logs/a.log", "far/b.log")
	shared, err := os.MkdirTemp("/dev/shm", "hindsql-test-") //nolint:usetesting // that is elsewhere
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { os.RemoveAll(shared) })
	file := filepath.Join(shared, "c.log")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	far, err := os.Open(filepath.Join(root, "far"))
	if err != nil {
		t.Fatal(err)
	}
	defer far.Close()
	for name, target := range map[string]string{
		"version.log": "/proc/version", "proc": "/proc", "sys": "/sys/kernel", "shared.log": file, "notes.txt": "/proc/version",
		"far": "../far", "around": "/proc/self/cwd", "around.log": "/proc/self/exe",
	} {
		if err := os.Symlink(target, filepath.Join(root, "logs", name)); err != nil {
			t.Fatal(err)
		}
	}
	logs, odd, err := anyLog.Search([]Place{{Path: root}})
	if got := rels(logs); got != "logs/a.log logs/far/b.log logs/shared.log" || err != nil {
		t.Errorf("logs %s, %v", got, err)
	}
	if got := rels(odd); got != "logs/around.log logs/proc logs/sys logs/version.log" {
		t.Errorf("odd %s", got)
	}
	for _, l := range odd {
		if !strings.Contains(l.Err.Error(), "file system") {
			t.Errorf("%s: %v", l.Rel, l.Err)
		}
	}
}

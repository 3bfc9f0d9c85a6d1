//go:build linux

package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// works runs an installed program. from is how doctor says that the program was packed;
// empty for any way.
func (r *root) works(t *testing.T, program, from string) {
	t.Helper()
	works(t, r.want, from, func(args string) string {
		command := program + " " + args
		if r.arch != runtime.GOARCH && args == "doctor" {
			// On a busy machine, qemu takes longer to start the worker of strangers' SQL
			// than the ten seconds that hindsql waits.
			command += " || " + command + " || " + command
		}
		return r.run(t, command)
	})
}

// works runs a program by the function run, and compares what it prints.
func works(t *testing.T, want, from string, run func(args string) string) {
	t.Helper()
	if got := run("version"); !strings.HasPrefix(got, "hindsql ") {
		t.Errorf("version: %q", got)
	}
	if got := run("--sample --timezone UTC run overview"); want != "" && got != want {
		t.Errorf("overview:\n%s\nwant\n%s", got, want)
	}
	first, rest, _ := strings.Cut(run("doctor"), "\n")
	if !strings.HasPrefix(first, "ok ") || !strings.Contains(first, ", from "+from) || !strings.Contains(rest, "worker ") {
		t.Errorf("doctor: no word of %q, or of the worker:\n%s\n%s", from, first, rest)
	}
}

// register tells the kernel to run programs for arm64 by qemu, in this namespace only.
// The bytes are the start of such a program, and which of its bits count. P keeps the
// name that a program is called by: hindsql starts itself by another name.
const register = `mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc
printf %s ':hindsql-arm64:M::\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00:\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff:/usr/bin/qemu-aarch64-static:PF' > /proc/sys/fs/binfmt_misc/register
`

// run runs a shell command in the root, without network, and returns the output.
func (r *root) run(t *testing.T, command string) string {
	t.Helper()
	script := `mount -t proc proc "$0/proc"
exec chroot "$0" env -i HINDSQL_SAMPLE_DAY=2026-10-22 HOME=/root LC_ALL=C.UTF-8 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin sh -c "$1"`
	attributes := &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET | syscall.CLONE_NEWNS | syscall.CLONE_NEWPID, Unshareflags: syscall.CLONE_NEWNS}
	if r.arch != runtime.GOARCH {
		// From Linux 6.7 on, a user namespace has its own list of such programs.
		script = register + script
		all := []syscall.SysProcIDMap{{ContainerID: 0, HostID: 0, Size: 1 << 16}}
		attributes.Cloneflags |= syscall.CLONE_NEWUSER
		attributes.UidMappings, attributes.GidMappings, attributes.GidMappingsEnableSetgroups = all, all, true
	}
	return execute(t, attributes, "sh", "-ec", script, r.dir, command)
}

// outside runs a shell command on this machine. % stands for the root's folder.
func outside(t *testing.T, command, dir string) {
	t.Helper()
	execute(t, nil, "sh", "-c", strings.ReplaceAll(command, "%", dir))
}

// npmInstall has this machine's npm install the packages for a platform into a folder,
// without network. npm takes another platform's package from a file only by force.
func npmInstall(t *testing.T, system, arch, folder, dist string) {
	t.Helper()
	packages := append(globbed(t, dist, "hindsql-[0-9]*.tgz"), globbed(t, dist, "hindsql-"+system+"-"+arch+"-*.tgz")...)
	args := []string{"-n", "npm", "install", "-g", "--offline", "--no-audit", "--no-fund", "--os=" + system, "--cpu=" + arch,
		"--cache", t.TempDir(), "--prefix", folder}
	if system != runtime.GOOS || arch != machines[runtime.GOARCH][1] {
		args = append(args, "--force")
	}
	execute(t, nil, "unshare", append(args, packages...)...)
}

func execute(t *testing.T, attributes *syscall.SysProcAttr, name string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	c := exec.CommandContext(ctx, name, args...)
	var out, said bytes.Buffer
	c.Stdout, c.Stderr, c.SysProcAttr = &out, &said, attributes
	if err := c.Run(); err != nil {
		t.Fatalf("%s: %v\n%s%s", args[len(args)-1], err, out.String(), said.String())
	}
	return out.String()
}

// globbed lists the files of a pattern in a folder.
func globbed(t *testing.T, folder, pattern string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(folder, pattern))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// suites lists the glibc versions and names of Debian, oldest first.
var suites = [][2]string{{"2.28", "buster"}, {"2.31", "bullseye"}, {"2.36", "bookworm"}, {"2.41", "trixie"}}

// fresh returns a copy of the oldest Debian supported by the program in dist, with the
// packages for the processor in /dist. The original is made once, in bin/roots.
func fresh(t *testing.T, dist, arch, name, include string) *root {
	t.Helper()
	glibc, suite := glibcOf(t, dist, arch), ""
	for _, s := range suites {
		if suite == "" && !older(s[0], glibc) {
			suite = s[1]
		}
	}
	if suite == "" {
		t.Fatalf("glibc %s: no Debian known here has it", glibc)
	}
	original, err := filepath.Abs(filepath.Join(dist, "..", "bin", "roots", suite+"-"+arch+"-"+name))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(original); err != nil {
		bootstrap(t, arch, suite, original, include)
	}
	r := &root{dir: t.TempDir(), arch: arch}
	execute(t, nil, "cp", "-a", original+"/.", r.dir)
	if err := os.Mkdir(filepath.Join(r.dir, "dist"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, pattern := range []string{"hindsql-*-linux-" + arch + ".tar.gz", "hindsql_*_" + arch + ".deb", "hindsql-*." + machines[arch][0] + ".rpm",
		"hindsql-*-manylinux_*_" + machines[arch][0] + ".whl", "hindsql-linux-" + machines[arch][1] + "-*.tgz", "hindsql-[0-9]*.tgz"} {
		execute(t, nil, "cp", append(globbed(t, dist, pattern), filepath.Join(r.dir, "dist"))...)
	}
	for _, forbidden := range []string{"go", "gcc"} {
		for _, folder := range []string{"usr/bin", "usr/local/bin", "usr/local/go/bin"} {
			if _, err := os.Stat(filepath.Join(r.dir, folder, forbidden)); err == nil {
				t.Errorf("the root has %s", forbidden)
			}
		}
	}
	return r
}

// bootstrap makes a Debian. This machine unpacks one for another processor, and dpkg
// sets it up under qemu, which takes a quarter of an hour. Packages to include there are
// only unpacked: they work without, and dpkg would need another quarter.
func bootstrap(t *testing.T, arch, suite, folder, include string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(folder), 0o755); err != nil {
		t.Fatal(err)
	}
	args := []string{"--variant=minbase", "--arch=" + arch, suite, folder + ".new"}
	if include != "" {
		args = append([]string{"--include=" + include}, args...)
	}
	if arch != runtime.GOARCH {
		args = append([]string{"--foreign"}, args...)
	}
	execute(t, nil, "debootstrap", args...)
	if arch != runtime.GOARCH {
		// In a container, debootstrap makes /proc a link to itself.
		outside(t, "rm -f %/proc 2> /dev/null || true; mkdir -p %/proc", folder+".new")
		if include != "" {
			outside(t, "for p in %/var/cache/apt/archives/*.deb; do dpkg-deb --fsys-tarfile $p | tar -C % --keep-directory-symlink -x || exit 1; done", folder+".new")
		} else {
			(&root{dir: folder + ".new", arch: arch}).run(t, "container=lxc /debootstrap/debootstrap --second-stage") // lxc: without mknod
		}
	}
	if err := os.Rename(folder+".new", folder); err != nil {
		t.Fatal(err)
	}
}

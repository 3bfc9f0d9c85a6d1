//go:build linux

package main

import (
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestInstall installs the output of make dist or make dist-all, each package as its
// users would, in a minimal Debian: no Go, no C library of the builder's, no network.
// Packages for another processor are installed and run under qemu, those for Windows
// run under wine, and those for macOS are only looked at. make e2e-install and make
// e2e-install-all run the test, which needs root, debootstrap, rpm, rpm2cpio, cpio,
// npm, and Debian's packages.
func TestInstall(t *testing.T) {
	dist := os.Getenv("HINDSQL_E2E")
	if dist == "" {
		t.Skip("make e2e-install runs it")
	}
	if len(globbed(t, dist, sumsName)) == 0 {
		t.Fatalf("%s: no packages; make dist or make dist-all makes them", dist)
	}
	want := ""
	for _, arch := range []string{"amd64", "arm64"} {
		if len(globbed(t, dist, "hindsql_*_"+arch+".deb")) == 0 {
			continue
		}
		t.Run("linux "+arch, func(t *testing.T) {
			namesGlibc(t, dist, arch)
			want = onLinux(t, dist, arch, want)
		})
	}
	if len(globbed(t, dist, "hindsql-*-windows-amd64.zip")) > 0 {
		t.Run("windows amd64", func(t *testing.T) { onWindows(t, dist, want) })
	}
	for _, arch := range []string{"amd64", "arm64"} {
		if len(globbed(t, dist, "hindsql-*-darwin-"+arch+".tar.gz")) > 0 {
			t.Run("darwin "+arch, func(t *testing.T) { forDarwin(t, dist, arch) })
		}
	}
}

// tools lists the second root's additions to the smallest Debian: installers of packages,
// and the program that starts npm's. helpers complete commands; completions are the same
// for each processor.
const (
	tools   = "python3-venv,nodejs"
	helpers = "zsh,fish,bash-completion"
)

// machines has the names of processors in names of packages: those of rpm and wheels,
// and those of npm.
var machines = map[string][2]string{"amd64": {"x86_64", "x64"}, "arm64": {"aarch64", "arm64"}}

// patience is the time limit for one command. qemu is slow.
const patience = 30 * time.Minute

// root is a Debian system in a folder.
type root struct {
	dir  string
	arch string
	want string // expected overview of the sample
}

// onLinux installs all packages for Linux on a processor. It returns the overview of the
// sample, which has to be want, if that is known.
func onLinux(t *testing.T, dist, arch, want string) string {
	include := tools
	if arch == runtime.GOARCH {
		include += "," + helpers
	}
	bare, full := fresh(t, dist, arch, "bare", ""), fresh(t, dist, arch, "full", include)
	bare.want = want
	t.Run("tar.gz", func(t *testing.T) {
		bare.run(t, "mkdir -p /opt/h && tar -C /opt/h --strip-components=1 -xf /dist/hindsql-*-linux-*.tar.gz")
		bare.works(t, "/opt/h/bin/hindsql", "an archive")
		bare.want = bare.run(t, "/opt/h/bin/hindsql --sample --timezone UTC run overview")
		full.want = bare.want
		if strings.Count(bare.want, "\n") < 5 {
			t.Errorf("overview:\n%s", bare.want)
		}
	})
	t.Run("without time zones", func(t *testing.T) { bare.withoutZones(t) })
	t.Run("deb", func(t *testing.T) {
		bare.run(t, "dpkg -i /dist/hindsql_*.deb")
		bare.works(t, "hindsql", "a .deb")
		bare.run(t, "dpkg --purge hindsql")
		if left := bare.run(t, "find /usr /etc /opt /var/lib/dpkg/info -name '*hindsql*' ! -path '/opt/h/*'"); left != "" {
			t.Errorf("removed, there are still\n%s", left)
		}
	})
	t.Run("rpm", func(t *testing.T) {
		// No system with rpm can be made here, so Debian runs the files. The package
		// names the files from /, and cpio would unpack them to /.
		outside(t, "mkdir -p %/opt/rpm && cd %/opt/rpm && rpm2cpio %/dist/hindsql-*.rpm | cpio -idm --quiet --no-absolute-filenames", bare.dir)
		bare.works(t, "/opt/rpm/usr/bin/hindsql", "an archive")
		outside(t, "rpm -K --nosignature %/dist/hindsql-*.rpm", bare.dir)
		// A database of rpm's own in the root, which knows no libraries.
		outside(t, "rpm --root % -i --nodeps --ignorearch %/dist/hindsql-*.rpm && rpm --root % -V --nodeps hindsql", bare.dir)
		bare.works(t, "/usr/bin/hindsql", "an .rpm")
		outside(t, "rpm --root % -e hindsql && ! test -e %/usr/bin/hindsql && ! test -e %/usr/share/doc/hindsql", bare.dir)
	})
	t.Run("npm", func(t *testing.T) {
		npmInstall(t, "linux", machines[arch][1], full.dir+"/opt/npm", full.dir+"/dist")
		full.works(t, "/opt/npm/bin/hindsql", "npm")
	})
	t.Run("wheel", func(t *testing.T) {
		full.run(t, "python3 -m venv /opt/venv && /opt/venv/bin/pip install --no-index /dist/hindsql-*.whl")
		full.works(t, "/opt/venv/bin/hindsql", "a wheel of Python")
		full.run(t, "/opt/venv/bin/pip uninstall -y hindsql && ! test -e /opt/venv/bin/hindsql")
	})
	if arch == runtime.GOARCH {
		t.Run("completion", func(t *testing.T) { full.helps(t) })
	}
	return bare.want
}

// withoutZones tries time zones on a system that has none, as small containers and
// Windows: --timezone was an error, and $TZ was taken for UTC.
func (r *root) withoutZones(t *testing.T) {
	weekly := " report run weekly --format text | sed -n 3p"
	hour := func(line string) string { return line[:len("2026-01-02 15")] } // for half of the day both zones have the same day
	with := r.run(t, "/opt/h/bin/hindsql --sample --timezone Pacific/Kiritimati"+weekly)
	r.run(t, "mv /usr/share/zoneinfo /usr/share/no-zoneinfo")
	if got := r.run(t, "/opt/h/bin/hindsql --sample --timezone Pacific/Kiritimati"+weekly); hour(got) != hour(with) {
		t.Errorf("by the flag it is %s, with time zones %s", got, with)
	}
	if got := r.run(t, "TZ=Pacific/Kiritimati /opt/h/bin/hindsql --sample"+weekly); hour(got) != hour(with) {
		t.Errorf("by $TZ it is %s, with time zones %s", got, with)
	}
	r.run(t, "mv /usr/share/no-zoneinfo /usr/share/zoneinfo")
}

// namesGlibc checks that docs/install.md names the glibc of the wheel.
func namesGlibc(t *testing.T, dist, arch string) {
	page, err := os.ReadFile("../../docs/install.md")
	if err != nil {
		t.Fatal(err)
	}
	if glibc := glibcOf(t, dist, arch); !strings.Contains(string(page), "glibc "+glibc+" ") {
		t.Errorf("docs/install.md does not say that packages need glibc %s", glibc)
	}
}

// glibcOf returns the glibc that the wheel's name demands.
func glibcOf(t *testing.T, dist, arch string) string {
	t.Helper()
	wheels := globbed(t, dist, "*-manylinux_*_"+machines[arch][0]+".whl")
	if len(wheels) != 1 {
		t.Fatalf("wheels %q", wheels)
	}
	_, tag, _ := strings.Cut(wheels[0], "manylinux_")
	return strings.Join(strings.SplitN(tag, "_", 3)[:2], ".")
}

// helps checks the completions of a package.
func (r *root) helps(t *testing.T) {
	r.run(t, "dpkg -i /dist/hindsql_*.deb")
	for command, want := range map[string]string{
		`zsh -c 'autoload -U compinit && compinit -u -D && echo $_comps[hindsql]'`: "_hindsql",
		`fish -c 'complete -C "hindsql ver"'`:                                      "version",
		`bash -c '. /usr/share/bash-completion/bash_completion; _completion_loader hindsql
			COMP_WORDS=(hindsql ver) COMP_CWORD=1 COMP_LINE="hindsql ver" COMP_POINT=11; __start_hindsql; echo "${COMPREPLY[@]}"'`: "version",
	} {
		if got := r.run(t, command); !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q in it", command, got, want)
		}
	}
}

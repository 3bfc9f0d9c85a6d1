//go:build linux

package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestInstall installs the output of make dist, each package as its users would, in a
// minimal Debian: no Go, no C library of the builder's, no network. make e2e-install
// runs the test, which needs root, debootstrap, rpm2cpio, cpio, npm, and Debian's
// packages.

// tools lists the second root's additions to the smallest Debian: an installer for
// packages, and programs that find manual pages and completions.
const tools = "man-db,zsh,fish,bash-completion,python3-venv"

// patience is the time limit for one command.
const patience = 10 * time.Minute

// root is a Debian system in a folder.
type root struct {
	dir  string
	want string // expected overview of the sample
}

func TestInstall(t *testing.T) {
	dist := os.Getenv("HINDSQL_E2E")
	if dist == "" {
		t.Skip("make e2e-install runs it")
	}
	page, err := os.ReadFile("../../docs/install.md")
	if err != nil {
		t.Fatal(err)
	}
	wheels, err := filepath.Glob(filepath.Join(dist, "*.whl"))
	if err != nil || len(wheels) != 1 {
		t.Fatalf("wheels %q, %v", wheels, err)
	}
	_, tag, _ := strings.Cut(wheels[0], "manylinux_")
	if glibc := strings.Join(strings.SplitN(tag, "_", 3)[:2], "."); !strings.Contains(string(page), "glibc "+glibc+" ") {
		t.Errorf("docs/install.md does not say that packages need glibc %s", glibc)
	}
	bare, full := fresh(t, dist, "bare", ""), fresh(t, dist, "full", tools)
	t.Run("tar.gz", func(t *testing.T) {
		bare.run(t, "mkdir -p /opt/h && tar -C /opt/h --strip-components=1 -xf /dist/hindsql-*-linux-*.tar.gz")
		bare.works(t, "/opt/h/bin/hindsql")
		bare.want = bare.run(t, "/opt/h/bin/hindsql --sample --timezone UTC run overview")
		full.want = bare.want
		if strings.Count(bare.want, "\n") < 5 {
			t.Errorf("overview:\n%s", bare.want)
		}
	})
	t.Run("without time zones", func(t *testing.T) {
		// Small containers and Windows have no time zones: --timezone was an error, and
		// $TZ was taken for UTC.
		weekly := " report run weekly --format text | sed -n 3p"
		with := bare.run(t, "/opt/h/bin/hindsql --sample --timezone Pacific/Kiritimati"+weekly)
		bare.run(t, "mv /usr/share/zoneinfo /usr/share/no-zoneinfo")
		if got := bare.run(t, "/opt/h/bin/hindsql --sample --timezone Pacific/Kiritimati"+weekly); got[:10] != with[:10] {
			t.Errorf("by the flag it is %s, with time zones %s", got, with)
		}
		if got := bare.run(t, "TZ=Pacific/Kiritimati /opt/h/bin/hindsql --sample"+weekly); got[:10] != with[:10] {
			t.Errorf("by $TZ it is %s, with time zones %s", got, with)
		}
		bare.run(t, "mv /usr/share/no-zoneinfo /usr/share/zoneinfo")
	})
	t.Run("deb", func(t *testing.T) {
		bare.run(t, "dpkg -i /dist/hindsql_*.deb")
		bare.works(t, "hindsql")
		bare.run(t, "dpkg --purge hindsql")
		if left := bare.run(t, "find /usr /etc /opt /var/lib/dpkg/info -name '*hindsql*' ! -path '/opt/h/*'"); left != "" {
			t.Errorf("removed, there are still\n%s", left)
		}
	})
	t.Run("rpm", func(t *testing.T) {
		// No system with rpm can be made here, so Debian runs the files. The package
		// names the files from /, and cpio would unpack them to /.
		outside(t, "mkdir -p %/opt/rpm && cd %/opt/rpm && rpm2cpio %/dist/hindsql-*.rpm | cpio -idm --quiet --no-absolute-filenames", bare.dir)
		bare.works(t, "/opt/rpm/usr/bin/hindsql")
		outside(t, "rpm -K --nosignature %/dist/hindsql-*.rpm", bare.dir)
		// A database of rpm's own in the root, which knows no libraries.
		outside(t, "rpm --root % -i --nodeps %/dist/hindsql-*.rpm && rpm --root % -V --nodeps hindsql", bare.dir)
		bare.works(t, "/usr/bin/hindsql")
		outside(t, "rpm --root % -e hindsql && ! test -e %/usr/bin/hindsql && ! test -e %/usr/share/doc/hindsql", bare.dir)
	})
	t.Run("npm", func(t *testing.T) {
		// The npm of this machine installs into the root, without network.
		outside(t, "unshare -n npm install -g --offline --no-audit --no-fund --cache %/opt/cache --prefix %/opt/npm %/dist/hindsql-*.tgz", bare.dir)
		bare.works(t, "/opt/npm/bin/hindsql")
	})
	t.Run("wheel", func(t *testing.T) {
		full.run(t, "python3 -m venv /opt/venv && /opt/venv/bin/pip install --no-index /dist/hindsql-*.whl")
		full.works(t, "/opt/venv/bin/hindsql")
		full.run(t, "test -f /opt/venv/share/man/man1/hindsql.1 && /opt/venv/bin/pip uninstall -y hindsql && ! test -e /opt/venv/bin/hindsql")
	})
	t.Run("man and completion", func(t *testing.T) { full.helps(t) })
}

// helps checks the manual pages and completions of a package.
func (r *root) helps(t *testing.T) {
	r.run(t, "dpkg -i /dist/hindsql_*.deb")
	for command, want := range map[string]string{
		"man hindsql | col -b":  "EXIT STATUS",
		"man -w hindsql-export": "/usr/share/man/man1/hindsql-export.1.gz",
		`test -z "$(man --warnings hindsql hindsql-run hindsql-report-install 2>&1 >/dev/null)" && echo none`: "none",
		`zsh -c 'autoload -U compinit && compinit -u -D && echo $_comps[hindsql]'`:                            "_hindsql",
		`fish -c 'complete -C "hindsql ver"'`:                                                                 "version",
		`bash -c '. /usr/share/bash-completion/bash_completion; _completion_loader hindsql
			COMP_WORDS=(hindsql ver) COMP_CWORD=1 COMP_LINE="hindsql ver" COMP_POINT=11; __start_hindsql; echo "${COMPREPLY[@]}"'`: "version",
	} {
		if got := r.run(t, command); !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q in it", command, got, want)
		}
	}
}

// works runs an installed program.
func (r *root) works(t *testing.T, program string) {
	t.Helper()
	if got := r.run(t, program+" version"); !strings.HasPrefix(got, "hindsql ") {
		t.Errorf("version: %q", got)
	}
	if got := r.run(t, program+" --sample --timezone UTC run overview"); r.want != "" && got != r.want {
		t.Errorf("overview:\n%s\nwant\n%s", got, r.want)
	}
}

// run runs a shell command in the root, without network, and returns the output.
func (r *root) run(t *testing.T, command string) string {
	t.Helper()
	script := `mount -t proc proc "$0/proc" && exec chroot "$0" env -i HOME=/root LC_ALL=C.UTF-8 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin sh -c "$1"`
	return execute(t, "unshare", "--net", "--mount", "--pid", "--fork", "sh", "-c", script, r.dir, command)
}

// outside runs a shell command on this machine. % stands for the root's folder.
func outside(t *testing.T, command, dir string) {
	t.Helper()
	execute(t, "sh", "-c", strings.ReplaceAll(command, "%", dir))
}

func execute(t *testing.T, name string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	c := exec.CommandContext(ctx, name, args...)
	var out, said bytes.Buffer
	c.Stdout, c.Stderr = &out, &said
	if err := c.Run(); err != nil {
		t.Fatalf("%s: %v\n%s%s", args[len(args)-1], err, out.String(), said.String())
	}
	return out.String()
}

// fresh returns a copy of the oldest Debian supported by the program in dist, with the
// packages in /dist. The original is made once, in bin/roots.
func fresh(t *testing.T, dist, name, include string) *root {
	t.Helper()
	dockerfile, err := os.ReadFile(filepath.Join(dist, "Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	_, suite, _ := strings.Cut(string(dockerfile), "FROM debian:")
	suite, _, _ = strings.Cut(suite, "-slim")
	original, err := filepath.Abs(filepath.Join(dist, "..", "bin", "roots", suite+"-"+name))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(original); err != nil {
		if err := os.MkdirAll(filepath.Dir(original), 0o755); err != nil {
			t.Fatal(err)
		}
		execute(t, "debootstrap", "--variant=minbase", "--include="+include, suite, original+".new")
		if err := os.Rename(original+".new", original); err != nil {
			t.Fatal(err)
		}
	}
	r := &root{dir: t.TempDir()}
	execute(t, "cp", "-a", original+"/.", r.dir)
	if err := os.CopyFS(filepath.Join(r.dir, "dist"), os.DirFS(dist)); err != nil {
		t.Fatal(err)
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

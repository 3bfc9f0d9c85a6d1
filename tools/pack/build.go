package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// build compiles the program into dir, and gathers the accompanying files. A program
// for this machine, host, writes the completions. host is empty if
// this release is for this machine.
func (r *release) build(dir, host string) error {
	program := filepath.Join(dir, "hindsql-"+r.os+"-"+r.arch+r.suffix())
	if err := r.compile(program); err != nil {
		return err
	}
	if r.sign != "" {
		if _, err := r.run(r.sign, r.os, program); err != nil {
			return err
		}
	}
	var err error
	if r.program, err = os.ReadFile(program); err != nil {
		return err
	}
	if r.os == "linux" {
		if r.needs, err = needsOf(bytes.NewReader(r.program)); err != nil {
			return err
		}
	}
	return r.gather(program, cmp.Or(host, program))
}

// identify determines the version and the date of the build.
func (r *release) identify() error {
	if r.version == "" {
		describe, err := r.run("git", "describe", "--tags", "--match", "v[0-9]*", "--long", "--always", "--dirty", "--abbrev=12")
		if err != nil {
			return err
		}
		count, err := r.run("git", "rev-list", "--count", "HEAD")
		if err != nil {
			return err
		}
		commits, err := strconv.Atoi(count)
		if err != nil {
			return err
		}
		if r.version, err = semver(describe, commits); err != nil {
			return err
		}
	}
	if _, err := pep440(r.version); err != nil { // Python's version order is the strictest of all packages
		return err
	}
	return r.dated(os.Getenv("SOURCE_DATE_EPOCH"))
}

// dated sets the release's date, in seconds. If empty, the date is the commit's.
func (r *release) dated(seconds string) (err error) {
	if seconds == "" {
		if seconds, err = r.run("git", "log", "-1", "--format=%ct"); err != nil {
			return err
		}
	}
	n, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return fmt.Errorf("SOURCE_DATE_EPOCH: %w", err)
	}
	r.date = time.Unix(n, 0).UTC()
	return nil
}

func (r *release) suffix() string {
	if r.os == "windows" {
		return ".exe"
	}
	return ""
}

// isHost reports whether the release is for this machine's platform.
func (r *release) isHost() bool { return r.os == runtime.GOOS && r.arch == runtime.GOARCH }

// compilers returns the environment of go build for the release's platform, and the C++
// compiler's command.
func (r *release) compilers() (env, cxx []string, err error) {
	if r.isHost() {
		return nil, []string{"g++"}, nil
	}
	return r.cross.Compilers(r.os, r.arch)
}

// compile builds the program without paths of this machine, and without a dependency on
// the target's C++ library, because distributions differ in C++ libraries. Only glibc
// remains. Debug symbols, a fifth of the file, are omitted.
func (r *release) compile(program string) error {
	flags := "-s -w -buildid= -X main.released=" + r.version
	c := exec.Command("go", "build", "-tags", "duckdb_arrow", "-trimpath", "-buildvcs=false", "-o", program)
	env, cxx, err := r.compilers()
	if err != nil {
		return err
	}
	c.Env = append(append(os.Environ(), "CGO_ENABLED=1"), env...)
	switch r.os {
	case "linux":
		linked, err := r.static(cxx[0])
		if err != nil {
			return err
		}
		flags += " -extldflags '-Wl,--no-export-dynamic " + linked + "'" // the Makefile says why
	case "windows":
		flags += " -extldflags '-static -Wl,--no-insert-timestamp'" // without, the program has the time of the link in it
	}
	c.Args = append(c.Args, "-ldflags", flags, "./cmd/hindsql")
	c.Dir, c.Stdout, c.Stderr = r.repository, os.Stdout, os.Stderr
	if err := c.Run(); err != nil {
		return fmt.Errorf("go build: %w", err)
	}
	return nil
}

// random replaces arc4random, the only function that GCC 12's libstdc++ takes from
// glibc 2.36 if built with glibc 2.36. Without random, the program would run only on
// systems from 2022 or later. std::random_device calls arc4random.
const random = `#include <stdint.h>
#include <sys/random.h>
uint32_t arc4random(void) {
	uint32_t n;
	while (getrandom(&n, sizeof n, 0) != sizeof n) {}
	return n;
}
`

// static makes a folder that contains only a static libstdc++ and comes first in the
// linker's search, and returns the linker's flag. As CGO_LDFLAGS, the flag would be in
// every package that has C code, and go build would compile nearly everything again in
// each folder with a clone.
func (r *release) static(cxx string) (string, error) {
	library, err := r.run(cxx, "-print-file-name=libstdc++.a")
	if err != nil {
		return "", err
	}
	if !filepath.IsAbs(library) {
		return "", fmt.Errorf("libstdc++.a: %s has none; it comes with libstdc++-dev", cxx)
	}
	repository, err := filepath.Abs(r.repository)
	if err != nil {
		return "", err
	}
	dir := filepath.Join(repository, "bin", "static-"+r.arch)
	if err := os.RemoveAll(dir); err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	text, err := os.ReadFile(library)
	if err != nil {
		return "", err
	}
	source, object, ours := filepath.Join(dir, "arc4random.c"), filepath.Join(dir, "arc4random.o"), filepath.Join(dir, "libstdc++.a")
	if err := errors.Join(os.WriteFile(ours, text, 0o644), os.WriteFile(source, []byte(random), 0o644)); err != nil {
		return "", err
	}
	if _, err := r.run(strings.TrimSuffix(cxx, "g++")+"gcc", "-O2", "-c", "-o", object, source); err != nil {
		return "", err
	}
	_, err = r.run(strings.TrimSuffix(cxx, "g++")+"ar", "rD", ours, object)
	return "-L" + dir, err
}

// gather collects the files of a package: the program, the program's completions, and
// pages of the repository.
func (r *release) gather(program, host string) error {
	r.add("bin/hindsql"+r.suffix(), 0o755, r.program)
	for shell, name := range map[string]string{
		"bash": "share/bash-completion/completions/hindsql",
		"zsh":  "share/zsh/site-functions/_hindsql",
		"fish": "share/fish/vendor_completions.d/hindsql.fish",
	} {
		text, err := r.run(host, "completion", shell)
		if err != nil {
			return err
		}
		r.add(name, 0o644, []byte(text+"\n"))
	}
	for _, name := range []string{"README.md", "LICENSE", "CHANGELOG.md", "SECURITY.md"} {
		text, err := os.ReadFile(filepath.Join(r.repository, name))
		if err != nil {
			return err
		}
		r.add("share/doc/hindsql/"+name, 0o644, text)
	}
	return r.account(program)
}

// account adds the SBOM and the licences of the program's parts.
func (r *release) account(program string) error {
	parts, err := partsOf(r, program)
	if err != nil {
		return err
	}
	sbom, err := r.sbom(parts)
	if err != nil {
		return err
	}
	r.add("share/doc/hindsql/"+sbomName, 0o644, sbom)
	r.add("share/doc/hindsql/"+licencesName, 0o644, licences(parts))
	return nil
}

func (r *release) add(name string, mode int64, text []byte) {
	r.files = append(r.files, file{name, mode, text})
	slices.SortFunc(r.files, func(a, b file) int { return strings.Compare(a.name, b.name) })
}

// run runs a program in the repository and returns the output without trailing
// newlines.
func (r *release) run(name string, args ...string) (string, error) {
	c := exec.Command(name, args...)
	c.Dir, c.Stderr = r.repository, os.Stderr
	text, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w", strings.Join(c.Args, " "), err)
	}
	return strings.TrimRight(string(text), "\n"), nil
}

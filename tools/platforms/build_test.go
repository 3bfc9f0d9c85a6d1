//go:build linux

// Package platforms tries the programs for other platforms on this machine: the one for
// Windows under wine, the one for Linux on arm64 under qemu, each beside the program
// for this machine.
//
// In: compilers, fetched by tools/pack/cross/fetch. Out: a test for each platform, run by
// make e2e-windows and make e2e-arm64. README.md says what these tests can't show.
package platforms

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"hindsql/tools/pack/cross"
)

// native returns the program for this machine, made by make build.
func native() *host { return &host{name: "linux/amd64", program: os.Getenv("HINDSQL_BINARY")} }

// target is a platform that the program is built for.
type target struct {
	name         string // of its folder and of its list of known failures
	system, arch string // GOOS and GOARCH
	suffix       string // of programs
	ldflags      string
}

var (
	arm64   = target{name: "arm64", system: "linux", arch: "arm64"}
	windows = target{name: "windows", system: "windows", arch: "amd64", suffix: ".exe", ldflags: "-s -w -extldflags=-static"}
)

// repository is the folder of the module hindsql.
func repository() string {
	dir, err := filepath.Abs("../..")
	if err != nil {
		panic(err)
	}
	return dir
}

// compilers are those that the make targets have fetched.
func compilers() cross.Fetched {
	return cross.Fetched{Repository: repository(), Folder: os.Getenv("HINDSQL_CROSS")}
}

// output returns the folder for programs. Without it, the test is skipped: a make target
// names it.
func output(t *testing.T) string {
	t.Helper()
	folder := os.Getenv("HINDSQL_PLATFORMS")
	if folder == "" {
		t.Skip("make e2e-windows and make e2e-arm64 run it")
	}
	return folder
}

// program builds hindsql, and returns the file.
func (g target) program(t *testing.T) string {
	t.Helper()
	return g.build(t, "hindsql", ".", "build", "-ldflags", g.ldflags, "./cmd/hindsql")
}

// tests builds the tests of a package, and returns the file.
func (g target) tests(t *testing.T, pkg, name string) string {
	t.Helper()
	return g.build(t, name+".test", ".", "test", "-c", "-ldflags", g.ldflags, "./"+pkg)
}

// build runs a command of go in a folder of the repository.
func (g target) build(t *testing.T, name, dir, verb string, args ...string) string {
	t.Helper()
	file := filepath.Join(output(t), g.name, name+g.suffix)
	flags, pkg := args[:len(args)-1], args[len(args)-1]
	all := append([]string{verb}, flags...)
	all = append(all, "-tags", "duckdb_arrow", "-buildvcs=false", "-o", file, pkg)
	c := exec.CommandContext(t.Context(), "go", all...)
	c.Dir = filepath.Join(repository(), dir)
	env, _, err := compilers().Compilers(g.system, g.arch)
	if err != nil {
		t.Fatal(err)
	}
	c.Env = append(append(os.Environ(), "CGO_ENABLED=1"), env...)
	if said, err := c.CombinedOutput(); err != nil {
		t.Fatalf("go %q for %s: %v\n%s", all, g.name, err, said)
	}
	return file
}

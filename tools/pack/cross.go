package main

import (
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

// oldestDarwin is the oldest macOS that the program is linked for. DuckDB's library
// needs it, too.
const oldestDarwin = "12.0"

// zig is the folder of the compiler for macOS, below the folder of compilers.
const zig = "zig-0.17.1"

// isHost reports whether the release is for this machine's platform.
func (r *release) isHost() bool { return r.os == runtime.GOOS && r.arch == runtime.GOARCH }

// compilers returns the environment that makes go build use the C compilers of the
// release's platform, and the C++ compiler's command. cross/fetch fetches the
// compilers into the folder r.cross.
func (r *release) compilers() (env, cxx []string, err error) {
	if r.isHost() {
		return nil, []string{"g++"}, nil
	}
	env = []string{"GOOS=" + r.os, "GOARCH=" + r.arch}
	var cc []string
	switch r.os + "/" + r.arch {
	case "linux/arm64":
		cc, cxx = []string{"aarch64-linux-gnu-gcc"}, []string{"aarch64-linux-gnu-g++"}
	case "windows/amd64":
		in := filepath.Join(r.repository, "tools", "pack", "cross", "in-debian13")
		cc, cxx = []string{in, "x86_64-w64-mingw32ucrt-gcc"}, []string{in, "x86_64-w64-mingw32ucrt-g++"}
	case "darwin/arm64", "darwin/amd64":
		stubs, err := r.stubs()
		if err != nil {
			return nil, nil, err
		}
		machine := map[string]string{"arm64": "aarch64", "amd64": "x86_64"}[r.arch]
		with := []string{"-target", machine + "-macos." + oldestDarwin, "-F" + stubs, "-L" + stubs}
		program := filepath.Join(r.cross, zig, "ziglang", "zig")
		cc, cxx = append([]string{program, "cc"}, with...), append([]string{program, "c++"}, with...)
	default:
		return nil, nil, fmt.Errorf("%s/%s: no compiler known on %s/%s", r.os, r.arch, runtime.GOOS, runtime.GOARCH)
	}
	return append(env, "CC="+strings.Join(cc, " "), "CXX="+strings.Join(cxx, " ")), cxx, nil
}

// imported matches the lines in which Go's packages name functions of macOS' libraries.
var imported = regexp.MustCompile(`(?m)^//go:cgo_import_dynamic \S+ (\w+) "(/[^"]+)"$`)

// stubs makes stubs of the libraries of macOS that Go's packages call, and returns
// their folder. A stub lists a library's functions, so that the linker finds them. Zig
// has libSystem's functions itself.
func (r *release) stubs() (string, error) {
	root, err := r.run("go", "env", "GOROOT")
	if err != nil {
		return "", err
	}
	functions := map[string]map[string]bool{} // by the library's path
	for _, folder := range []string{"crypto/x509/internal/macos", "internal/syscall/unix"} {
		sources, err := filepath.Glob(filepath.Join(root, "src", filepath.FromSlash(folder), "*.go"))
		if err != nil {
			return "", err
		}
		for _, source := range sources {
			text, err := os.ReadFile(source)
			if err != nil {
				return "", err
			}
			for _, m := range imported.FindAllStringSubmatch(string(text), -1) {
				if functions[m[2]] == nil {
					functions[m[2]] = map[string]bool{}
				}
				functions[m[2]]["_"+m[1]] = true
			}
		}
	}
	folder := filepath.Join(r.cross, "macos")
	for library, names := range functions {
		if err := writeStub(folder, library, slices.Sorted(maps.Keys(names))); err != nil {
			return "", err
		}
	}
	return folder, nil
}

// writeStub writes the stub of a library: NAME.framework/NAME.tbd for a framework,
// libNAME.tbd for another library.
func writeStub(folder, library string, names []string) error {
	name, _, _ := strings.Cut(path.Base(library), ".")
	place := filepath.Join(folder, name+".tbd")
	switch {
	case name == "libSystem":
		return nil
	case strings.Contains(library, ".framework/"):
		place = filepath.Join(folder, name+".framework", name+".tbd")
	}
	if err := os.MkdirAll(filepath.Dir(place), 0o755); err != nil {
		return err
	}
	const targets = "[ x86_64-macos, arm64-macos ]"
	text := fmt.Sprintf("--- !tapi-tbd\ntbd-version: 4\ntargets: %s\ninstall-name: '%s'\nexports:\n  - targets: %s\n    symbols: [ %s ]\n...\n",
		targets, library, targets, strings.Join(names, ", "))
	return os.WriteFile(place, []byte(text), 0o644)
}

// Package cross knows the compilers for other platforms, and wine, as fetch gets them.
//
// In: the folder that fetch filled. Out: commands, and environments for them.
package cross

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// oldestDarwin is the oldest macOS that the program is linked for. DuckDB's library
// needs it, too.
const oldestDarwin = "12.0"

// zig is the folder of the compiler for macOS, below the folder of compilers.
const zig = "zig-0.17.1"

// wine is where Debian 13 has wine's programs.
const wine = "/usr/lib/wine/"

// Fetched names the folders of compilers. Both paths are absolute.
type Fetched struct {
	Repository string
	Folder     string // filled by fetch
}

// Here returns the compilers of a repository, in bin/cross.
func Here(repository string) Fetched {
	return Fetched{repository, filepath.Join(repository, "bin", "cross")}
}

// inDebian13 runs a program of Debian 13.
func (f Fetched) inDebian13() string {
	return filepath.Join(f.Repository, "tools", "pack", "cross", "in-debian13")
}

// Compilers returns the environment that makes go build use the C compilers of a
// platform, and the C++ compiler's command. Compilers of Debian 13 also need
// $HINDSQL_CROSS, the folder filled by fetch.
func (f Fetched) Compilers(system, arch string) (env, cxx []string, err error) {
	var cc []string
	switch system + "/" + arch {
	case "linux/arm64":
		cc, cxx = []string{"aarch64-linux-gnu-gcc"}, []string{"aarch64-linux-gnu-g++"}
	case "windows/amd64":
		cc, cxx = []string{f.inDebian13(), "x86_64-w64-mingw32ucrt-gcc"}, []string{f.inDebian13(), "x86_64-w64-mingw32ucrt-g++"}
	case "darwin/arm64", "darwin/amd64":
		folder := filepath.Join(f.Folder, "macos")
		if err := stubs(folder); err != nil {
			return nil, nil, err
		}
		machine := map[string]string{"arm64": "aarch64", "amd64": "x86_64"}[arch]
		with := []string{"-target", machine + "-macos." + oldestDarwin, "-F" + folder, "-L" + folder}
		program := filepath.Join(f.Folder, zig, "ziglang", "zig")
		cc, cxx = append([]string{program, "cc"}, with...), append([]string{program, "c++"}, with...)
	default:
		return nil, nil, fmt.Errorf("%s/%s: no compiler known", system, arch)
	}
	return []string{"GOOS=" + system, "GOARCH=" + arch, "CC=" + strings.Join(cc, " "), "CXX=" + strings.Join(cxx, " ")}, cxx, nil
}

// Wine returns the commands that start a program for Windows and wine's server, and the
// environment of both. The folder prefix has the Windows of the program.
func (f Fetched) Wine(prefix string) (start, server, env []string) {
	env = []string{
		"HINDSQL_CROSS=" + f.Folder, "WINEPREFIX=" + prefix, "WINEARCH=win64", "WINEDEBUG=-all", "WINEDLLOVERRIDES=mscoree,mshtml,winemenubuilder.exe=",
	}
	return []string{f.inDebian13(), wine + "wine64"}, []string{f.inDebian13(), wine + "wineserver64"}, env
}

// imported matches the lines in which Go's packages name functions of macOS' libraries.
var imported = regexp.MustCompile(`(?m)^//go:cgo_import_dynamic \S+ (\w+) "(/[^"]+)"$`)

// stubs makes stubs of the libraries of macOS that Go's packages call, in a folder. A
// stub lists a library's functions, so that the linker finds them. Zig has libSystem's
// functions itself.
func stubs(folder string) error {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return fmt.Errorf("go env GOROOT: %w", err)
	}
	root := strings.TrimSpace(string(out))
	functions := map[string]map[string]bool{} // by the library's path
	for _, source := range []string{"crypto/x509/internal/macos", "internal/syscall/unix"} {
		sources, err := filepath.Glob(filepath.Join(root, "src", filepath.FromSlash(source), "*.go"))
		if err != nil {
			return err
		}
		for _, source := range sources {
			text, err := os.ReadFile(source)
			if err != nil {
				return err
			}
			for _, m := range imported.FindAllStringSubmatch(string(text), -1) {
				if functions[m[2]] == nil {
					functions[m[2]] = map[string]bool{}
				}
				functions[m[2]]["_"+m[1]] = true
			}
		}
	}
	for library, names := range functions {
		if err := writeStub(folder, library, slices.Sorted(maps.Keys(names))); err != nil {
			return err
		}
	}
	return nil
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

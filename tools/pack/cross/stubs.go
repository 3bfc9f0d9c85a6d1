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

// imported matches the lines in which Go's packages name functions of macOS' libraries.
var imported = regexp.MustCompile(`(?m)^//go:cgo_import_dynamic \S+ (\w+) "(/[^"]+)"$`)

// stubs makes stubs of the libraries of macOS that Go's packages call, in a folder. A stub lists a library's functions, so that the linker finds them. Zig
// has libSystem's functions itself.
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

package main

import (
	"bytes"
	"debug/elf"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/goreleaser/nfpm/v2"
	debian "github.com/goreleaser/nfpm/v2/deb"
	"github.com/goreleaser/nfpm/v2/files"
	redhat "github.com/goreleaser/nfpm/v2/rpm"
)

const (
	summary = "SQL on the logs of coding agents"
	// The publisher of the packages puts a name and an address here, because deb needs
	// one.
	maintainer = "hindsql <hindsql@localhost>"
	prose      = summary + `
hindsql answers SQL about what coding agents did: sessions, prompts, tool calls,
what was refused and why. It reads the logs that the agents leave on this
machine. Nothing leaves it unless you push it, and no log is ever changed.`
)

// deb makes the package for Debian, Ubuntu and derivatives.
func deb(r *release) (file, error) {
	depends, err := r.needs.debian()
	if err != nil {
		return file{}, err
	}
	// Debian's zsh looks for a package's functions in Debian's own folder, and Debian
	// looks for a licence in the file copyright.
	moved := map[string]string{
		"share/zsh/site-functions/_hindsql": "share/zsh/vendor-completions/_hindsql",
		"share/doc/hindsql/LICENSE":         "share/doc/hindsql/copyright",
	}
	return r.system(debian.Default, depends, moved)
}

// rpm makes the package for Fedora, Red Hat, SUSE and derivatives.
func rpm(r *release) (file, error) { return r.system(redhat.DefaultRPM, r.needs.redHat(), nil) }

// system makes a package below /usr. moved maps a file's name to its name in the
// package.
func (r *release) system(to nfpm.Packager, depends []string, moved map[string]string) (file, error) {
	dir, err := os.MkdirTemp("", "pack")
	if err != nil {
		return file{}, err
	}
	defer os.RemoveAll(dir)
	info := &nfpm.Info{
		Name: "hindsql", Arch: r.arch, Platform: r.os, Version: r.version, Release: "1",
		Section: "utils", Priority: "optional", Maintainer: maintainer,
		Description: prose, License: "MIT", MTime: r.date,
	}
	info.Depends, info.RPM.Summary, info.RPM.BuildHost = depends, summary, "localhost"
	// Every system with the program's glibc reads zstd. README.md compares.
	info.Deb.Compression, info.RPM.Compression = "zstd:19", "zstd:19"
	info.DisableGlobbing = true
	// Only this package has the folder. rpm removes a folder only if a package owns it.
	info.Contents = files.Contents{{
		Destination: "/usr/share/doc/hindsql", Type: files.TypeDir,
		FileInfo: &files.ContentFileInfo{Mode: 0o755, MTime: r.date, Owner: "root", Group: "root"},
	}}
	for _, f := range r.files {
		if elsewhere, ok := moved[f.name]; ok {
			f.name = elsewhere
		}
		source := filepath.Join(dir, filepath.FromSlash(f.name))
		if err := os.MkdirAll(filepath.Dir(source), 0o755); err != nil {
			return file{}, err
		}
		if err := os.WriteFile(source, f.text, 0o600); err != nil {
			return file{}, err
		}
		info.Contents = append(info.Contents, &files.Content{
			Source: source, Destination: path.Join("/usr", f.name),
			FileInfo: &files.ContentFileInfo{Mode: os.FileMode(f.mode), MTime: r.date, Owner: "root", Group: "root"},
		})
	}
	nfpm.WithDefaults(info)
	var out bytes.Buffer
	err = to.Package(info, &out)
	return file{name: to.ConventionalFileName(info), text: out.Bytes()}, err
}

// needs lists a program's requirements on the system's libraries: by library and by
// family of symbols, the newest version in use. A library without versions has an empty
// map.
type needs map[string]map[string]string

// needsOf reads the needs of an ELF program.
func needsOf(program io.ReaderAt) (needs, error) {
	f, err := elf.NewFile(program)
	if err != nil {
		return nil, err
	}
	libraries, err := f.ImportedLibraries()
	if err != nil {
		return nil, err
	}
	versions, err := f.DynamicVersionNeeds()
	if err != nil {
		return nil, err
	}
	all := needs{}
	for _, name := range libraries {
		all[name] = map[string]string{}
	}
	for _, library := range versions {
		if all[library.Name] == nil {
			all[library.Name] = map[string]string{}
		}
		for _, v := range library.Needs {
			all.add(library.Name, v.Dep)
		}
	}
	return all, nil
}

// relr marks a program whose relocations need glibc 2.36 or newer.
const relr = "GLIBC_ABI_DT_RELR"

// add records a symbol version, such as GLIBC_2.34.
func (n needs) add(library, symbols string) {
	if symbols == relr {
		symbols = "GLIBC_2.36"
	}
	family, version, _ := strings.Cut(symbols, "_")
	if older(n[library][family], version) {
		n[library][family] = version
	}
}

// older compares dotted version numbers. An empty version is older than any.
func older(a, b string) bool { return slices.Compare(numbers(a), numbers(b)) < 0 }

func numbers(version string) (list []int) {
	for _, part := range strings.Split(version, ".") {
		if n, err := strconv.Atoi(part); err == nil {
			list = append(list, n)
		}
	}
	return list
}

// glibc returns the oldest glibc on which the program runs; empty if glibc isn't
// needed.
func (n needs) glibc() (oldest string) {
	for _, families := range n {
		if v := families["GLIBC"]; older(oldest, v) {
			oldest = v
		}
	}
	return oldest
}

// ofGlibc lists libraries that come with glibc.
var ofGlibc = []string{"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "libresolv.so.2", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}

// debian returns the required packages in the form of Depends.
func (n needs) debian() (depends []string, err error) {
	if v := n.glibc(); v != "" {
		depends = append(depends, "libc6 (>= "+v+")")
	}
	for _, library := range slices.Sorted(maps.Keys(n)) {
		switch {
		case slices.Contains(ofGlibc, library):
		case library == unwinder:
			depends = append(depends, "libgcc-s1")
		default:
			return nil, fmt.Errorf("%s %v: which package has it isn't known", library, n[library])
		}
	}
	return depends, nil
}

// redHat returns the required libraries and symbols in the form that rpm computes.
func (n needs) redHat() (requires []string) {
	for _, library := range slices.Sorted(maps.Keys(n)) {
		requires = append(requires, library+"()(64bit)")
		for _, family := range slices.Sorted(maps.Keys(n[library])) {
			requires = append(requires, fmt.Sprintf("%s(%s_%s)(64bit)", library, family, n[library][family]))
		}
	}
	return requires
}

// unwinder is a library of GCC that every Linux with glibc has. The symbols haven't
// changed for 20 years, and manylinux also relies on the library.
const unwinder = "libgcc_s.so.1"

// manylinux returns the tag of a wheel for any system with the same glibc or newer,
// such as 2_34. The wheel contains no libraries, so libraries except glibc and unwinder
// must be linked statically.
func (n needs) manylinux() (string, error) {
	for library := range n {
		if library != unwinder && !slices.Contains(ofGlibc, library) {
			return "", fmt.Errorf("%s: not every manylinux has it; link it statically", library)
		}
	}
	if n.glibc() == "" {
		return "", fmt.Errorf("glibc: not needed, so that manylinux is no tag for this program")
	}
	return strings.ReplaceAll(n.glibc(), ".", "_"), nil
}

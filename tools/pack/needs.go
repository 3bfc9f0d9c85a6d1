package main

import (
	"debug/elf"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// needs is what a program asks of the system's libraries: the newest version of
// each family of symbols that it takes from a library, by the library's name and
// the family's. A library without versions has an empty map.
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
			all.take(library.Name, v.Dep)
		}
	}
	return all, nil
}

// relr is the mark of a program whose relocations only glibc from 2.36 on reads.
const relr = "GLIBC_ABI_DT_RELR"

// take notes a version of symbols, such as GLIBC_2.34.
func (n needs) take(library, symbols string) {
	if symbols == relr {
		symbols = "GLIBC_2.36"
	}
	family, version, _ := strings.Cut(symbols, "_")
	if older(n[library][family], version) {
		n[library][family] = version
	}
}

// older compares versions of numbers and dots. Nothing is older than any.
func older(a, b string) bool { return slices.Compare(numbers(a), numbers(b)) < 0 }

func numbers(version string) (list []int) {
	for _, part := range strings.Split(version, ".") {
		if n, err := strconv.Atoi(part); err == nil {
			list = append(list, n)
		}
	}
	return list
}

// glibc is the oldest glibc that the program runs with; empty for none.
func (n needs) glibc() (oldest string) {
	for _, families := range n {
		if v := families["GLIBC"]; older(oldest, v) {
			oldest = v
		}
	}
	return oldest
}

// ofGlibc are libraries that come with glibc.
var ofGlibc = []string{"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "libresolv.so.2", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}

// gccOf is the GCC whose libstdc++ first has the symbols GLIBCXX_3.4.N.
var gccOf = map[string]string{"3.4.28": "9", "3.4.29": "11", "3.4.30": "12", "3.4.31": "13.1", "3.4.32": "13.2", "3.4.33": "14", "3.4.34": "15"}

// debian are the packages that hold what is needed, as Depends has them.
func (n needs) debian() (depends []string, err error) {
	if v := n.glibc(); v != "" {
		depends = append(depends, "libc6 (>= "+v+")")
	}
	for _, library := range slices.Sorted(maps.Keys(n)) {
		switch {
		case slices.Contains(ofGlibc, library):
		case library == unwinder:
			depends = append(depends, "libgcc-s1")
		case library == "libstdc++.so.6" && gccOf[n[library]["GLIBCXX"]] != "":
			depends = append(depends, "libstdc++6 (>= "+gccOf[n[library]["GLIBCXX"]]+")")
		default:
			return nil, fmt.Errorf("%s %v: which package has it isn't known", library, n[library])
		}
	}
	return depends, nil
}

// redHat is what is needed, as rpm finds it out: libraries and their symbols.
func (n needs) redHat() (requires []string) {
	for _, library := range slices.Sorted(maps.Keys(n)) {
		requires = append(requires, library+"()(64bit)")
		for _, family := range slices.Sorted(maps.Keys(n[library])) {
			requires = append(requires, fmt.Sprintf("%s(%s_%s)(64bit)", library, family, n[library][family]))
		}
	}
	return requires
}

// unwinder is the part of GCC that every Linux with glibc has, and that has not
// changed its symbols for 20 years; manylinux counts on it, too.
const unwinder = "libgcc_s.so.1"

// manylinux is the tag of a wheel that runs wherever glibc is as new: 2_34. It
// brings no library along, so that others than these two have to be in the program.
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

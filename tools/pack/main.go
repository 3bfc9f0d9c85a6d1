// Command pack, run by make dist, builds hindsql and its packages for this machine's
// platform: an archive, .deb, .rpm, a Python wheel, an npm package, a Dockerfile, an
// SBOM, the licences of all linked parts, and checksums.
//
// The input is the repository that contains pack. The output is a folder of files. The
// same commit, toolchain and modules give the same bytes. pack downloads only modules
// missing for go build. It publishes and installs nothing.
package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

func main() {
	out := flag.String("o", "dist", "`folder` of the packages; packages of before are removed")
	repository := flag.String("C", ".", "`folder` of the repository")
	version := flag.String("version", "", "semantic version of the release (default by git describe)")
	flag.Parse()
	if err := run(*repository, *out, *version); err != nil {
		fmt.Fprintln(os.Stderr, "pack:", err)
		os.Exit(1)
	}
}

// release holds the content of the packages.
type release struct {
	repository string
	version    string    // semantic, without v
	date       time.Time // date of the commit and of every file in a package
	os, arch   string    // GOOS and GOARCH
	program    []byte
	files      []file // sorted by name, with the program
	needs      needs  // needs of the program, on Linux
}

// file is a file in a package. All packages have the layout of a prefix such as /usr.
// Each package's installer puts the prefix in its own place.
type file struct {
	name string // bin/hindsql, share/man/man1/hindsql.1
	mode int64
	text []byte
}

func run(repository, out, version string) error {
	r, err := build(repository, version)
	if err != nil {
		return err
	}
	if err := emptied(out); err != nil {
		return err
	}
	packages, err := r.packages()
	if err != nil {
		return err
	}
	for _, p := range append(packages, sums(packages)) {
		if err := os.WriteFile(filepath.Join(out, p.name), p.text, 0o644); err != nil {
			return err
		}
		fmt.Printf("%11d %s\n", len(p.text), p.name)
	}
	return nil
}

// emptied makes a folder, or removes the files of an earlier run. It refuses a folder
// with unknown content, because a user may need the folder.
func emptied(folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if _, err := os.Stat(filepath.Join(folder, sumsName)); len(entries) > 0 && err != nil {
		return fmt.Errorf("%s: it has files, and no %s, so that they may not be of packages; name another folder with -o", folder, sumsName)
	}
	for _, e := range entries {
		if e.IsDir() {
			return fmt.Errorf("%s: it has a folder, %s, which is of no package; name another with -o", folder, e.Name())
		}
	}
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	return os.MkdirAll(folder, 0o755)
}

// packages makes the release's files, sorted by name.
func (r *release) packages() (all []file, err error) {
	makers := []func(*release) (file, error){archive, wheel, npm}
	if r.os == "linux" {
		makers = append(makers, deb, rpm, dockerfile)
	}
	for _, make := range makers {
		f, err := make(r)
		if err != nil {
			return nil, err
		}
		all = append(all, f)
	}
	for _, f := range r.files {
		if base := filepath.Base(f.name); base == sbomName || base == licencesName {
			all = append(all, file{name: base, text: f.text})
		}
	}
	slices.SortFunc(all, func(a, b file) int { return bytes.Compare([]byte(a.name), []byte(b.name)) })
	return all, nil
}

const sumsName = "SHA256SUMS"

// sums makes the checksum file for sha256sum -c.
func sums(packages []file) file {
	var text bytes.Buffer
	for _, p := range packages {
		fmt.Fprintf(&text, "%x  %s\n", sha256.Sum256(p.text), p.name)
	}
	return file{name: sumsName, text: text.Bytes()}
}

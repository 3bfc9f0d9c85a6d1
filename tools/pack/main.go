// Command pack, run by make dist, builds hindsql and its packages for this machine's
// platform, or, run by make dist-all, for several: an archive, .deb, .rpm, a Python
// wheel, npm packages, an SBOM and the licences of all linked parts for each, and for
// all together the npm package that users install, and checksums.
//
// The input is the repository that contains pack. The output is a folder of files. The
// same commit, toolchain and modules give the same bytes. pack downloads only modules
// missing for go build. It publishes and installs nothing.
package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"hindsql/tools/pack/cross"
)

func main() {
	out := flag.String("o", "dist", "`folder` of the packages; packages of before are removed")
	repository := flag.String("C", ".", "`folder` of the repository")
	version := flag.String("version", "", "semantic version of the release (default by git describe)")
	platforms := flag.String("platforms", runtime.GOOS+"/"+runtime.GOARCH, "`LIST` of GOOS/GOARCH, with commas between")
	compilers := flag.String("cross", "", "`folder` of the compilers for other platforms, filled by cross/fetch (default bin/cross in the repository)")
	sign := flag.String("sign", "", "`program` that signs each built program before it is packed, called with GOOS and the file")
	flag.Parse()
	if err := run(&release{repository: *repository, version: *version, cross: cross.Fetched{Folder: *compilers}, sign: *sign}, *out, *platforms); err != nil {
		fmt.Fprintln(os.Stderr, "pack:", err)
		os.Exit(1)
	}
}

// release holds the content of the packages.
type release struct {
	repository string
	cross      cross.Fetched // the compilers for other platforms
	sign       string        // program that signs; empty for none
	version    string        // semantic, without v
	date       time.Time     // date of the commit and of every file in a package
	os, arch   string        // GOOS and GOARCH
	program    []byte
	files      []file // sorted by name, with the program
	needs      needs  // needs of the program, on Linux
}

// file is a file in a package. All packages have the layout of a prefix such as /usr.
// Each package's installer puts the prefix in its own place.
type file struct {
	name string // bin/hindsql, share/doc/hindsql/LICENSE
	mode int64
	text []byte
}

func run(from *release, out, platforms string) error {
	all, err := builds(from, platforms)
	if err != nil {
		return err
	}
	if err := emptied(out); err != nil {
		return err
	}
	var packages []file
	for _, r := range all {
		more, err := r.packages()
		if err != nil {
			return err
		}
		packages = append(packages, more...)
	}
	main, err := npmMain(all)
	if err != nil {
		return err
	}
	packages = append(packages, main)
	slices.SortFunc(packages, func(a, b file) int { return strings.Compare(a.name, b.name) })
	for _, p := range append(packages, sums(packages)) {
		if err := os.WriteFile(filepath.Join(out, p.name), p.text, 0o644); err != nil {
			return err
		}
		fmt.Printf("%11d %s\n", len(p.text), p.name)
	}
	return nil
}

// builds makes a release for each platform from one that has no platform. This
// machine's comes first, because its program writes the completions of all.
func builds(from *release, platforms string) ([]*release, error) {
	repository, err := filepath.Abs(from.repository)
	if err != nil {
		return nil, err
	}
	fetched := cross.Here(repository)
	if from.cross.Folder != "" {
		if fetched.Folder, err = filepath.Abs(from.cross.Folder); err != nil {
			return nil, err
		}
	}
	if err := os.Setenv("HINDSQL_CROSS", fetched.Folder); err != nil { // for in-debian13
		return nil, err
	}
	dir, err := os.MkdirTemp("", "pack")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	host := runtime.GOOS + "/" + runtime.GOARCH
	list := strings.Split(platforms, ",")
	if i := slices.Index(list, host); i > 0 {
		list = slices.Insert(slices.Delete(list, i, i+1), 0, host)
	} else if i < 0 {
		return nil, fmt.Errorf("-platforms %s: has no %s, whose program writes the completions", platforms, host)
	}
	var all []*release
	for _, platform := range list {
		system, arch, _ := strings.Cut(platform, "/")
		r := &release{repository: repository, cross: fetched, version: from.version, sign: from.sign, os: system, arch: arch}
		if err := r.identify(); err != nil {
			return nil, err
		}
		written := ""
		if !r.isHost() {
			written = filepath.Join(dir, "hindsql-"+runtime.GOOS+"-"+runtime.GOARCH+all[0].suffix())
		}
		if err := r.build(dir, written); err != nil {
			return nil, fmt.Errorf("%s: %w", platform, err)
		}
		all = append(all, r)
	}
	return all, nil
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

// folder is the name of the archive's folder.
func (r *release) folder() string { return "hindsql-" + r.version + "-" + r.os + "-" + r.arch }

// packages makes the files of the release's platform.
func (r *release) packages() (all []file, err error) {
	makers := []func(*release) (file, error){archive, wheel, npm}
	if r.os == "linux" {
		makers = append(makers, deb, rpm)
	}
	for _, make := range makers {
		f, err := make(r)
		if err != nil {
			return nil, err
		}
		all = append(all, f)
	}
	for _, f := range r.files {
		switch base := path.Base(f.name); base {
		case sbomName:
			all = append(all, file{name: r.folder() + ".spdx.json", text: f.text})
		case licencesName:
			all = append(all, file{name: r.folder() + "-" + base, text: f.text})
		}
	}
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

// archive makes a tar.gz, or a zip on Windows. The content of the top folder unpacks
// into a prefix such as ~/.local.
func archive(r *release) (file, error) {
	folder := r.folder()
	var inside []file
	for _, f := range r.files {
		inside = append(inside, file{folder + "/" + f.name, f.mode, f.text})
	}
	if r.os == "windows" {
		text, err := zipped(inside, r.date)
		return file{name: folder + ".zip", text: text}, err
	}
	text, err := tarred(inside, r.date)
	return file{name: folder + ".tar.gz", text: text}, err
}

// tarred makes a tar.gz without traces of the building machine or user.
func tarred(files []file, date time.Time) ([]byte, error) {
	var out bytes.Buffer
	g, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	w := tar.NewWriter(g)
	for _, f := range files {
		header := &tar.Header{Typeflag: tar.TypeReg, Name: f.name, Mode: f.mode, Size: int64(len(f.text)), ModTime: date, Format: tar.FormatPAX}
		if err := w.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.text); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	if err := g.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// zipped makes a zip with the files in order. Times in a zip have no zone; these are
// UTC.
func zipped(files []file, date time.Time) ([]byte, error) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range files {
		header := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: date}
		header.SetMode(fs.FileMode(f.mode))
		to, err := w.CreateHeader(header)
		if err != nil {
			return nil, err
		}
		if _, err := io.Copy(to, bytes.NewReader(f.text)); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// npmLauncher starts the program of the platform's package.
//
//go:embed npm.js
var npmLauncher []byte

// npmPlatform is the name of the npm package with the release's program, in Node's words
// for systems and processors.
func (r *release) npmPlatform() string {
	return "hindsql-" + strings.Replace(r.os, "windows", "win32", 1) + "-" + strings.Replace(r.arch, "amd64", "x64", 1)
}

// npm makes the npm package with the program of a platform. npm skips the package on
// other platforms.
func npm(r *release) (file, error) {
	about := r.npmAbout(r.npmPlatform())
	about["os"] = []string{strings.Replace(r.os, "windows", "win32", 1)}
	about["cpu"] = []string{strings.Replace(r.arch, "amd64", "x64", 1)}
	if r.os == "linux" {
		about["libc"] = []string{"glibc"}
	}
	var inside []file
	for _, f := range r.files {
		if strings.HasPrefix(f.name, "bin/") || strings.HasPrefix(f.name, "share/doc/") {
			inside = append(inside, f)
		}
	}
	return r.npmPackage(about, inside)
}

// npmMain makes the npm package that users install. The packages of all platforms
// are optional dependencies, and npm installs the package of the machine's platform. No
// script runs at an install, because many people forbid scripts.
func npmMain(all []*release) (file, error) {
	r := all[0]
	about, platforms := r.npmAbout("hindsql"), map[string]string{}
	for _, p := range all {
		platforms[p.npmPlatform()] = r.version
	}
	about["optionalDependencies"] = platforms
	about["bin"] = map[string]string{"hindsql": "bin/hindsql.js"}
	about["engines"] = map[string]string{"node": ">=18"}
	inside := []file{{"bin/hindsql.js", 0o755, npmLauncher}}
	for _, f := range r.files {
		if strings.HasPrefix(f.name, "share/") {
			inside = append(inside, f)
		}
	}
	return r.npmPackage(about, inside)
}

// npmAbout returns the fields of package.json that all packages have.
func (r *release) npmAbout(name string) map[string]any {
	return map[string]any{"name": name, "version": r.version, "description": summary, "license": "MIT"}
}

func (r *release) npmPackage(about map[string]any, inside []file) (file, error) {
	text, err := json.MarshalIndent(about, "", "  ")
	if err != nil {
		return file{}, err
	}
	packed := []file{{"package/package.json", 0o644, append(text, '\n')}}
	for _, f := range inside {
		for _, top := range []string{"README.md", "LICENSE"} { // npm's site shows these files
			if f.name == "share/doc/hindsql/"+top {
				f.name = top
			}
		}
		packed = append(packed, file{"package/" + f.name, f.mode, f.text})
	}
	archive, err := tarred(packed, r.date)
	return file{name: about["name"].(string) + "-" + r.version + ".tgz", text: archive}, err
}

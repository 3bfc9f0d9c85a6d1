package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// small returns a release with a fake program, to make its packages quickly.
func small() *release {
	r := &release{
		version: "1.2.3-rc.1", date: time.Date(2026, 11, 22, 8, 0, 0, 0, time.UTC), os: "linux", arch: "amd64",
		program: []byte("\x7fELF"), needs: needs{"libc.so.6": {"GLIBC": "2.34"}, unwinder: {"GCC": "4.2.0"}},
	}
	for _, name := range []string{"bin/hindsql", "share/zsh/site-functions/_hindsql",
		"share/doc/hindsql/LICENSE", "share/doc/hindsql/README.md", "share/doc/hindsql/" + sbomName} {
		mode := int64(0o644)
		if name == "bin/hindsql" {
			mode = 0o755
		}
		r.add(name, mode, []byte("this is "+name))
	}
	return r
}

// TestPackages: the packages have the names that installers look for, and two builds
// are identical.
func TestPackages(t *testing.T) {
	first, err := small().packages()
	if err != nil {
		t.Fatal(err)
	}
	second, err := small().packages()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for i, p := range first {
		names = append(names, p.name)
		if !bytes.Equal(p.text, second[i].text) {
			t.Errorf("%s differs from the one made before", p.name)
		}
	}
	want := []string{
		"hindsql-1.2.3-rc.1-linux-amd64.tar.gz", "hindsql-1.2.3rc1-py3-none-manylinux_2_34_x86_64.whl", "hindsql-linux-x64-1.2.3-rc.1.tgz",
		"hindsql_1.2.3~rc.1-1_amd64.deb", "hindsql-1.2.3~rc.1-1.x86_64.rpm", "hindsql-1.2.3-rc.1-linux-amd64.spdx.json",
	}
	if !slices.Equal(names, want) {
		t.Errorf("packages %q, want %q", names, want)
	}
	line := fmt.Sprintf("%x  %s\n", sha256.Sum256(first[0].text), want[0])
	if got := string(sums(first).text); !strings.HasPrefix(got, line) || strings.Count(got, "\n") != len(want) {
		t.Errorf("sums:\n%s", got)
	}
}

func TestArchive(t *testing.T) {
	p, err := archive(small())
	if err != nil {
		t.Fatal(err)
	}
	files := untar(t, p.text)
	if got := files["hindsql-1.2.3-rc.1-linux-amd64/bin/hindsql"]; got != "-rwxr-xr-x this is bin/hindsql" {
		t.Errorf("the program: %q", got)
	}
	r := small()
	r.os = "windows"
	if p, err = archive(r); err != nil || p.name != "hindsql-1.2.3-rc.1-windows-amd64.zip" {
		t.Errorf("for Windows %s, %v", p.name, err)
	}
}

// untar returns the files of a tar.gz, each with its mode.
func untar(t *testing.T, text []byte) map[string]string {
	t.Helper()
	g, err := gzip.NewReader(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for r := tar.NewReader(g); ; {
		h, err := r.Next()
		if err == io.EOF {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if h.Uid != 0 || h.Uname != "" || !h.ModTime.Equal(small().date) {
			t.Errorf("%s says who made it, or when: %+v", h.Name, h)
		}
		files[h.Name] = h.FileInfo().Mode().String() + " " + string(text)
	}
}

// TestWheel: RECORD lists every file except RECORD with the right sum, or pip would
// refuse the wheel.
func TestWheel(t *testing.T) {
	p, err := wheel(small())
	if err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(p.text), int64(len(p.text)))
	if err != nil {
		t.Fatal(err)
	}
	lines, record := map[string]bool{}, ""
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(f.Name, "/RECORD") {
			record = string(text)
			lines[f.Name+",,"] = true
			continue
		}
		sum := sha256.Sum256(text)
		lines[fmt.Sprintf("%s,sha256=%s,%d", f.Name, base64.RawURLEncoding.EncodeToString(sum[:]), len(text))] = true
		if f.Name == "hindsql-1.2.3rc1.data/scripts/hindsql" && f.Mode().Perm() != 0o755 {
			t.Errorf("%s has mode %v", f.Name, f.Mode())
		}
	}
	for _, line := range strings.Split(strings.TrimSpace(record), "\n") {
		if !lines[line] {
			t.Errorf("RECORD: no file is as %q says", line)
		}
		delete(lines, line)
	}
	if len(lines) > 0 {
		t.Errorf("RECORD lacks %v", lines)
	}
}

// several returns releases with fake programs for the five platforms of make dist-all.
func several() (all []*release) {
	for _, platform := range []string{"linux/amd64", "linux/arm64", "windows/amd64", "darwin/arm64", "darwin/amd64"} {
		r := small()
		r.os, r.arch, _ = strings.Cut(platform, "/")
		all = append(all, r)
	}
	return all
}

// TestNpm: the platforms' packages have one program each, and the package that users
// install depends on all of them.
func TestNpm(t *testing.T) {
	type about struct {
		Name, Version        string
		Bin                  map[string]string
		OS, CPU, Libc, Man   []string
		OptionalDependencies map[string]string
		Scripts              map[string]string
	}
	read := func(p file, err error) (a about, files map[string]string) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		files = untar(t, p.text)
		_, text, _ := strings.Cut(files["package/package.json"], " ")
		if err := json.Unmarshal([]byte(text), &a); err != nil {
			t.Fatal(err)
		}
		return a, files
	}
	main, files := read(npmMain(several()))
	for _, name := range append(main.Man, main.Bin["hindsql"], "README.md", "LICENSE") {
		if files["package/"+name] == "" {
			t.Errorf("no file %s", name)
		}
	}
	if main.Scripts != nil || len(main.OptionalDependencies) != 5 || files["package/bin/hindsql"] != "" {
		t.Errorf("package.json: %+v", main)
	}
	for _, r := range several() {
		one, files := read(npm(r))
		if one.Version != "1.2.3-rc.1" || main.OptionalDependencies[one.Name] != one.Version || len(one.OS) != 1 || len(one.CPU) != 1 ||
			(len(one.Libc) == 1) != (r.os == "linux") || files["package/bin/hindsql"] == "" {
			t.Errorf("%s/%s: %+v", r.os, r.arch, one)
		}
	}
	if one, _ := read(npm(several()[2])); one.Name != "hindsql-win32-x64" || one.OS[0] != "win32" || one.CPU[0] != "x64" {
		t.Errorf("for Windows %+v", one)
	}
}

// TestDepends compares Depends, as read by dpkg-deb, with the computed dependencies.
// The test needs dpkg-deb.
func TestDepends(t *testing.T) {
	dpkg, err := exec.LookPath("dpkg-deb")
	if err != nil {
		t.Skip("no dpkg-deb")
	}
	p, err := deb(small())
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(dpkg, "--field", "/dev/stdin", "Depends")
	c.Stdin = bytes.NewReader(p.text)
	got, err := c.Output()
	if want := "libc6 (>= 2.34), libgcc-s1\n"; err != nil || string(got) != want {
		t.Errorf("Depends %q, want %q (%v)", got, want, err)
	}
}

// TestEmptied: only a folder of packages is emptied.
func TestEmptied(t *testing.T) {
	dir := t.TempDir()
	ours, theirs := filepath.Join(dir, "dist"), filepath.Join(dir, "home")
	for _, folder := range []string{ours, ours} {
		if err := emptied(folder); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"hindsql.deb", sumsName} {
			if err := os.WriteFile(filepath.Join(folder, name), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := emptied(ours); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(ours); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
	if err := os.MkdirAll(filepath.Join(theirs, "work"), 0o700); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := emptied(theirs); err == nil {
			t.Error("somebody's folder was removed")
		}
		if err := os.WriteFile(filepath.Join(theirs, sumsName), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

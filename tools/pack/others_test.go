//go:build linux

package main

import (
	"archive/zip"
	"bytes"
	"debug/macho"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hindsql/tools/pack/cross"
)

// onWindows unpacks or installs the packages for Windows, and runs them under wine 10 of
// the Debian 13 that cross/fetch made. Python and Node for Windows aren't there: this
// machine's pip and npm install for Windows.
func onWindows(t *testing.T, dist, want string) {
	wine := wineOf(t)
	t.Run("zip", func(t *testing.T) {
		name := globbed(t, dist, "hindsql-*-windows-amd64.zip")[0]
		folder := unzipped(t, name)
		program := filepath.Join(folder, strings.TrimSuffix(filepath.Base(name), ".zip"), "bin", "hindsql.exe")
		works(t, want, "an archive", wine(t, program))
	})
	t.Run("wheel", func(t *testing.T) {
		folder := pipInstalled(t, "win_amd64", globbed(t, dist, "*-win_amd64.whl")[0])
		works(t, want, "", wine(t, filepath.Join(folder, "bin", "hindsql.exe")))
	})
	t.Run("npm", func(t *testing.T) {
		folder := t.TempDir()
		npmInstall(t, "win32", "x64", folder, dist)
		program := globbed(t, folder, "lib/node_modules/hindsql-win32-x64/bin/hindsql.exe")
		if len(program) != 1 {
			t.Fatalf("programs: %q", program)
		}
		works(t, want, "npm", wine(t, program[0]))
	})
}

// wineOf returns a function that runs a program for Windows. All programs of a test
// share a home folder.
func wineOf(t *testing.T) func(t *testing.T, program string) func(args string) string {
	repository, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	prefix := t.TempDir()
	t.Cleanup(func() { _ = os.RemoveAll(prefix) })
	start, _, env := cross.Here(repository).Wine(prefix)
	return func(t *testing.T, program string) func(args string) string {
		return func(args string) string {
			command := slices.Concat([]string{"LC_ALL=C.UTF-8", "HINDSQL_SAMPLE_DAY=2026-10-22"}, env, start, []string{program}, strings.Fields(args))
			return execute(t, nil, "env", command...)
		}
	}
}

// unzipped unpacks a zip into a folder.
func unzipped(t *testing.T, name string) string {
	t.Helper()
	z, err := zip.OpenReader(name)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	folder := t.TempDir()
	if err := os.CopyFS(folder, z); err != nil {
		t.Fatal(err)
	}
	return folder
}

// pipInstalled has this machine's pip install a wheel for another platform into a
// folder, without network.
func pipInstalled(t *testing.T, platform, wheel string) string {
	t.Helper()
	folder := t.TempDir()
	execute(t, nil, "unshare", "-n", "python3", "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--only-binary=:all:",
		"--platform", platform, "--target", folder, wheel)
	return folder
}

// signature is the load command of a Mach-O program that has a signature.
const signature = 0x1d

// forDarwin looks at the packages for macOS, which nothing here can run: all have the
// same program, which is for the processor, for macOS 12, and needs only what each Mac
// has.
func forDarwin(t *testing.T, dist, arch string) {
	platform := map[string]string{"amd64": "x86_64", "arm64": "arm64"}[arch]
	unpacked, node := t.TempDir(), t.TempDir()
	archive := globbed(t, dist, "hindsql-*-darwin-"+arch+".tar.gz")[0]
	execute(t, nil, "tar", "-C", unpacked, "--strip-components=1", "-xf", archive)
	npmInstall(t, "darwin", machines[arch][1], node, dist)
	python := pipInstalled(t, "macosx_12_0_"+platform, globbed(t, dist, "*-macosx_12_0_"+platform+".whl")[0])
	program, err := os.ReadFile(filepath.Join(unpacked, "bin", "hindsql"))
	if err != nil {
		t.Fatal(err)
	}
	for _, other := range []string{filepath.Join(python, "bin", "hindsql"), filepath.Join(node, "lib/node_modules/hindsql-darwin-"+machines[arch][1], "bin", "hindsql")} {
		text, err := os.ReadFile(other)
		if err != nil || !bytes.Equal(text, program) {
			t.Errorf("%s isn't the archive's program (%v)", other, err)
		}
	}
	for _, name := range []string{"bin/hindsql", "share/zsh/site-functions/_hindsql", "share/doc/hindsql/LICENSE", "share/doc/hindsql/" + sbomName} {
		info, err := os.Stat(filepath.Join(unpacked, name))
		if err != nil || (info.Mode()&0o111 != 0) != (name == "bin/hindsql") {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
	looksRight(t, program, arch)
}

// looksRight checks the header of a program for macOS.
func looksRight(t *testing.T, program []byte, arch string) {
	f, err := macho.NewFile(bytes.NewReader(program))
	if err != nil {
		t.Fatal(err)
	}
	if cpu := map[string]macho.Cpu{"amd64": macho.CpuAmd64, "arm64": macho.CpuArm64}[arch]; f.Cpu != cpu || f.Type != macho.TypeExec {
		t.Errorf("it is %v for %v", f.Type, f.Cpu)
	}
	if oldest, err := oldestMac(program); err != nil || oldest != "12_0" {
		t.Errorf("the oldest macOS is %s (%v)", oldest, err)
	}
	libraries, err := f.ImportedLibraries()
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(libraries)
	want := []string{"/System/Library/Frameworks/CoreFoundation.framework/Versions/A/CoreFoundation", "/System/Library/Frameworks/Security.framework/Versions/A/Security",
		"/usr/lib/libSystem.B.dylib", "/usr/lib/libresolv.9.dylib"}
	if !slices.Equal(libraries, want) {
		t.Errorf("it needs %q, want %q", libraries, want)
	}
	// The kernel of a Mac with Apple's processor starts no program without a signature.
	signed := slices.ContainsFunc(f.Loads, func(load macho.Load) bool { return f.ByteOrder.Uint32(load.Raw()) == signature })
	if arch == "arm64" && !signed {
		t.Error("it has no signature")
	}
}

package main

import (
	"bytes"
	"crypto/sha256"
	"debug/macho"
	"encoding/base64"
	"fmt"
	"strings"
)

// wheel makes a Python wheel with the program. pip and uv put the program into an
// environment's bin, and manual pages and completions into its share.
func wheel(r *release) (file, error) {
	version, err := pep440(r.version)
	if err != nil {
		return file{}, err
	}
	platform, err := r.platform()
	if err != nil {
		return file{}, err
	}
	name, tag := "hindsql-"+version, "py3-none-"+platform
	var inside []file
	for _, f := range r.files {
		folder, rest, _ := strings.Cut(f.name, "/")
		if folder == "bin" {
			f.name = name + ".data/scripts/" + rest
		} else {
			f.name = name + ".data/data/" + f.name
		}
		inside = append(inside, f)
	}
	about := name + ".dist-info/"
	inside = append(inside,
		file{about + "METADATA", 0o644, r.metadata(version)},
		file{about + "WHEEL", 0o644, fmt.Appendf(nil, "Wheel-Version: 1.0\nGenerator: hindsql-pack\nRoot-Is-Purelib: false\nTag: %s\n", tag)},
		file{about + "licenses/LICENSE", 0o644, r.text("share/doc/hindsql/LICENSE")})
	inside = append(inside, record(inside, about+"RECORD"))
	text, err := zipped(inside, r.date)
	return file{name: name + "-" + tag + ".whl", text: text}, err
}

// metadata returns the text shown by pip and by PyPI's page.
func (r *release) metadata(version string) []byte {
	return fmt.Appendf(nil, `Metadata-Version: 2.4
Name: hindsql
Version: %s
Summary: %s
License-Expression: MIT
License-File: LICENSE
Description-Content-Type: text/markdown

%s`, version, summary, r.text("share/doc/hindsql/README.md"))
}

// record lists a wheel's files with checksums. RECORD itself has no checksum.
func record(inside []file, name string) file {
	var text bytes.Buffer
	for _, f := range inside {
		sum := sha256.Sum256(f.text)
		fmt.Fprintf(&text, "%s,sha256=%s,%d\n", f.name, base64.RawURLEncoding.EncodeToString(sum[:]), len(f.text))
	}
	fmt.Fprintf(&text, "%s,,\n", name)
	return file{name, 0o644, text.Bytes()}
}

// text returns the text of a file in the release.
func (r *release) text(name string) []byte {
	for _, f := range r.files {
		if f.name == name {
			return f.text
		}
	}
	return nil
}

// platform returns a wheel's platform tag.
func (r *release) platform() (string, error) {
	machine := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[r.arch]
	switch {
	case machine == "":
		return "", fmt.Errorf("%s: DuckDB has no library for it", r.arch)
	case r.os == "linux":
		glibc, err := r.needs.manylinux()
		return "manylinux_" + glibc + "_" + machine, err
	case r.os == "darwin":
		oldest, err := oldestMac(r.program)
		return "macosx_" + oldest + "_" + strings.Replace(machine, "aarch64", "arm64", 1), err
	}
	return "win_" + r.arch, nil
}

// buildVersionCommand is the load command of a Mach-O program that names the oldest
// macOS.
const buildVersionCommand = 0x32

// oldestMac returns the oldest macOS for which the program was linked: 11_0.
func oldestMac(program []byte) (string, error) {
	f, err := macho.NewFile(bytes.NewReader(program))
	if err != nil {
		return "", err
	}
	for _, load := range f.Loads {
		raw := load.Raw()
		if len(raw) >= 16 && f.ByteOrder.Uint32(raw) == buildVersionCommand {
			oldest := f.ByteOrder.Uint32(raw[12:])
			minor := oldest >> 8 & 0xff
			if oldest>>16 >= 11 { // from 11 on, Python's tags have no minor versions
				minor = 0
			}
			return fmt.Sprintf("%d_%d", oldest>>16, minor), nil
		}
	}
	return "", fmt.Errorf("the program does not say for which macOS it is")
}

package main

import (
	"bytes"
	"crypto/sha256"
	"debug/macho"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
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

// described matches the output of git describe --long, with or without a tag.
var described = regexp.MustCompile(`^(?:v?(\d+)\.(\d+)\.(\d+)(-[0-9A-Za-z.-]+?)?-(\d+)-g)?([0-9a-f]+)(-dirty)?$`)

// semver returns the semantic version of a commit. A commit after a tag, or with
// changes, is a pre-release of the next patch: it sorts after the tag and before that
// patch in every packager. Without a tag, the version contains the number of all
// commits.
func semver(describe string, commits int) (string, error) {
	m := described.FindStringSubmatch(describe)
	if m == nil {
		return "", fmt.Errorf("git describe: %q is no version", describe)
	}
	core, since := "0.1.0", strconv.Itoa(commits)
	if m[1] != "" {
		if m[5] == "0" && m[7] == "" {
			return m[1] + "." + m[2] + "." + m[3] + m[4], nil
		}
		patch, err := strconv.Atoi(m[3])
		if err != nil {
			return "", err
		}
		core, since = fmt.Sprintf("%s.%s.%d", m[1], m[2], patch+1), m[5]
	}
	return core + "-dev." + since + "+g" + m[6] + strings.Replace(m[7], "-", ".", 1), nil
}

// parts matches the parts of a semantic version.
var parts = regexp.MustCompile(`^(\d+\.\d+\.\d+)(?:-([0-9A-Za-z.-]+))?(?:\+([0-9A-Za-z.-]+))?$`)

// stages matches Python's names of pre-releases. Other names have no place in Python's
// order.
var stages = regexp.MustCompile(`^(alpha|beta|rc|dev)\.(\d+)$`)

// pep440 returns a semantic version in Python's form: 0.1.0.dev7+gabc, 1.0.0rc1.
func pep440(version string) (string, error) {
	m := parts.FindStringSubmatch(version)
	if m == nil {
		return "", fmt.Errorf("version %q is not semantic, such as 1.2.3 or 1.2.3-rc.1", version)
	}
	text := m[1]
	if m[2] != "" {
		stage := stages.FindStringSubmatch(m[2])
		if stage == nil {
			return "", fmt.Errorf("version %q: Python knows alpha.N, beta.N, rc.N and dev.N, not %q", version, m[2])
		}
		text += map[string]string{"alpha": "a", "beta": "b", "rc": "rc", "dev": ".dev"}[stage[1]] + stage[2]
	}
	if m[3] != "" {
		text += "+" + strings.ReplaceAll(strings.ToLower(m[3]), "-", ".")
	}
	return text, nil
}

const (
	sbomName     = "hindsql.spdx.json"
	licencesName = "THIRD-PARTY-LICENSES.txt"
)

// fields are the fields of an SPDX 2.3 document, or of a part of one.
type fields map[string]any

// sbom lists the software in the program, with licences.
func (r *release) sbom(parts []part) ([]byte, error) {
	const document, program = "SPDXRef-DOCUMENT", "SPDXRef-Package-0"
	sum := fmt.Sprintf("%x", sha256.Sum256(r.program))
	relations := []fields{{"spdxElementId": document, "relationshipType": "DESCRIBES", "relatedSpdxElement": program}}
	var packages []fields
	for i, p := range parts {
		id := fmt.Sprintf("SPDXRef-Package-%d", i)
		about := fields{"SPDXID": id, "name": p.name, "versionInfo": p.version, "downloadLocation": "NOASSERTION", "filesAnalyzed": false,
			"licenseConcluded": "NOASSERTION", "licenseDeclared": p.licence, "copyrightText": "NOASSERTION"}
		if p.sum != "" {
			about["comment"] = "go.sum " + p.sum
		}
		if p.purl != "" {
			about["externalRefs"] = []fields{{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": p.purl}}
		}
		if i == 0 {
			about["checksums"] = []fields{{"algorithm": "SHA256", "checksumValue": sum}}
		} else {
			relations = append(relations, fields{"spdxElementId": program, "relationshipType": "CONTAINS", "relatedSpdxElement": id})
		}
		packages = append(packages, about)
	}
	text, err := json.MarshalIndent(fields{
		"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": document, "name": r.folder(),
		"documentNamespace": "https://spdx.org/spdxdocs/hindsql-" + sum, // unique for each program
		"creationInfo":      fields{"created": r.date.Format(time.RFC3339), "creators": []string{"Tool: hindsql-pack"}},
		"packages":          packages, "relationships": relations,
	}, "", "  ")
	return append(text, '\n'), err
}

// licences returns the licence texts of all parts, which must be distributed with the
// program.
func licences(parts []part) []byte {
	var text bytes.Buffer
	text.WriteString("hindsql is under the MIT licence, which is beside this file. Linked into it are the parts below.\n" +
		"DuckDB's library has in it what https://github.com/duckdb/duckdb/tree/main/third_party lists, each part under its own licence.\n")
	for _, p := range parts[1:] {
		fmt.Fprintf(&text, "\n%s\n%s %s\n%s\n\n%s", strings.Repeat("=", 80), p.name, p.version, p.licence, strings.Join(p.texts, "\n"))
	}
	return text.Bytes()
}

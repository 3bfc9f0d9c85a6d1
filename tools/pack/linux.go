package main

import (
	"bytes"
	"os"
	"path"
	"path/filepath"

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
func rpm(r *release) (file, error) {
	return r.system(redhat.DefaultRPM, r.needs.redHat(), nil)
}

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

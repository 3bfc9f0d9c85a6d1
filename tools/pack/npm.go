package main

import (
	_ "embed"
	"encoding/json"
	"strings"
)

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

// npmMain makes the npm package that users install. It depends on each platform's
// package, optionally, so that npm installs only one. It has no script that runs at an
// install, which many forbid.
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
	bytes, err := tarred(packed, r.date)
	return file{name: about["name"].(string) + "-" + r.version + ".tgz", text: bytes}, err
}

package main

import (
	"encoding/json"
	"strings"
)

// npm makes a package for npm. The package has no script, and the program as its
// command.
func npm(r *release) (file, error) {
	about := map[string]any{
		"name": "hindsql", "version": r.version, "description": summary, "license": "MIT",
		"bin": map[string]string{"hindsql": "bin/hindsql" + r.suffix()},
		"os":  []string{strings.Replace(r.os, "windows", "win32", 1)},
		"cpu": []string{strings.Replace(r.arch, "amd64", "x64", 1)},
	}
	if r.os == "linux" {
		about["libc"] = []string{"glibc"}
	}
	var inside []file
	var pages []string
	for _, f := range r.files {
		if strings.HasPrefix(f.name, "share/man/") {
			pages = append(pages, f.name)
		}
		for _, top := range []string{"README.md", "LICENSE"} { // npm's site shows these files
			if f.name == "share/doc/hindsql/"+top {
				f.name = top
			}
		}
		inside = append(inside, file{"package/" + f.name, f.mode, f.text})
	}
	about["man"] = pages
	text, err := json.MarshalIndent(about, "", "  ")
	if err != nil {
		return file{}, err
	}
	inside = append([]file{{"package/package.json", 0o644, append(text, '\n')}}, inside...)
	packed, err := tarred(inside, r.date)
	return file{name: "hindsql-" + r.version + ".tgz", text: packed}, err
}

package main

import (
	"bytes"
	"fmt"
	"strings"
)

// place is a text that names the module, and isn't Go's to know. PATH stands for the
// module's path, ADDRESS for the page that the path leads to.
type place struct{ file, text string }

var places = []place{
	{".ci/check", `s,^\./,PATH/,`},
	{".ci/check", `for package in PATH/internal/lint`},
	{".ci/check", `grep -vx PATH/internal/lint`},
	{"CONTRIBUTING.md", "Import `PATH/readers/AGENT`"},
	// Downloads of a release lie below this path on GitHub, Gitea and Forgejo; other
	// hosts have other paths.
	{"tools/pack/manifests.go", `downloads = "ADDRESS/releases/download/v"`},
	{"tools/pack/manifests.go", `homepage = "ADDRESS"`},
}

// nobody is the host of addresses before the first rename.
const nobody = "example.invalid"

// addressOf returns the address of a module's page.
func addressOf(module string) string {
	if !strings.Contains(module, "/") {
		module = nobody + "/" + module
	}
	return "https://" + module
}

// placesIn rewrites the places in a file.
func (m *move) placesIn(name string, text []byte) ([]byte, error) {
	for _, p := range places {
		if p.file != name {
			continue
		}
		old := strings.NewReplacer("PATH", m.from, "ADDRESS", addressOf(m.from)).Replace(p.text)
		if bytes.Count(text, []byte(old)) != 1 {
			return nil, fmt.Errorf("%s: %q is there %d times, want once: mend the list in tools/rename/places.go", name, old, bytes.Count(text, []byte(old)))
		}
		text = bytes.Replace(text, []byte(old), []byte(strings.NewReplacer("PATH", m.to, "ADDRESS", addressOf(m.to)).Replace(p.text)), 1)
	}
	return text, nil
}

// page rewrites the module's path in a page of prose, where go install is shown. A path
// without a host isn't looked for, because "hindsql/" also begins names of folders.
func (m *move) page(text []byte) []byte {
	old := m.from
	if !strings.Contains(old, "/") {
		old = "HOST/OWNER/" + old
	}
	return bytes.ReplaceAll(text, []byte(old), []byte(m.to))
}

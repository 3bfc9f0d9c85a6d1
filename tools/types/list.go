package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// listed is a package as printed by go list -deps -test. Imported packages come first.
type listed struct {
	ImportPath        string
	Dir               string
	ForTest           string   // the package under test if this is a variant for its test; otherwise empty
	GoFiles, CgoFiles []string // relative to Dir
	Imports           []string
	ImportMap         map[string]string // from the path in the file to ImportPath, if different
	Module            *struct {
		Main      bool
		GoVersion string
		Replace   *struct{}
	}
	Error *struct{ Pos, Err string }
}

// list runs go list for the packages of a module and all dependencies, tests included.
// Cgo is on, because DuckDB's packages have only Cgo files.
func list(folder, platform string) (all []*listed, err error) {
	goos, goarch, ok := strings.Cut(platform, "/")
	if !ok {
		return nil, fmt.Errorf("%s: a platform is GOOS/GOARCH, such as windows/amd64", platform)
	}
	cmd := exec.Command("go", "list", "-e", "-tags", "duckdb_arrow", "-deps", "-test",
		"-json=ImportPath,Dir,ForTest,GoFiles,CgoFiles,Imports,ImportMap,Module,Error", "./...")
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=1")
	var out, failed bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &failed
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("go list in %s for %s: %w\n%s", folder, platform, err, failed.Bytes())
	}
	for in := json.NewDecoder(&out); ; {
		p := new(listed)
		if err := in.Decode(p); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		if p.ImportPath != "unsafe" && !strings.HasSuffix(p.ImportPath, ".test") { // generated main of a test
			all = append(all, p)
		}
	}
}

// ours reports whether the package's function bodies are checked: the package belongs
// to the module, and isn't a copy recompiled for the test of another package.
func (p *listed) ours() bool {
	return p.Module != nil && p.Module.Main && (p.ForTest == "" || p.ForTest == p.path() || p.ForTest+"_test" == p.path())
}

// fixed reports whether the package's files never change: files of the standard library
// or of a module's fixed version.
func (p *listed) fixed() bool {
	return p.Module == nil || !p.Module.Main && p.Module.Replace == nil
}

// path returns the import path without the test's name: "x [y.test]" becomes x.
func (p *listed) path() string {
	path, _, _ := strings.Cut(p.ImportPath, " [")
	return path
}

// files returns the paths of the package's files.
func (p *listed) files() (all []string) {
	for _, names := range [][]string{p.GoFiles, p.CgoFiles} {
		for _, name := range names {
			if !filepath.IsAbs(name) {
				name = filepath.Join(p.Dir, name)
			}
			all = append(all, name)
		}
	}
	return all
}

// imported returns the ImportPath of the package imported as path.
func (p *listed) imported(path string) string {
	if other, ok := p.ImportMap[path]; ok {
		return other
	}
	return path
}

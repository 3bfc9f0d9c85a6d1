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

// listed is a package as go list -deps -test prints it, after the packages that
// it imports.
type listed struct {
	ImportPath        string
	Dir               string
	ForTest           string   // the package whose test has this variant, or ""
	GoFiles, CgoFiles []string // below Dir
	Imports           []string
	ImportMap         map[string]string // from the path in the file to ImportPath, where they differ
	Module            *struct {
		Main      bool
		GoVersion string
		Replace   *struct{}
	}
	Error *struct{ Pos, Err string }
}

// list asks go list for the packages of a module and all they need, tests
// included. Cgo is on, because packages of DuckDB have no other files.
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
		if p.ImportPath != "unsafe" && !strings.HasSuffix(p.ImportPath, ".test") { // a test's generated main
			all = append(all, p)
		}
	}
}

// ours is whether the package's bodies of functions are checked: it is of the
// module, and no copy of another package that a test has compiled again.
func (p *listed) ours() bool {
	return p.Module != nil && p.Module.Main && (p.ForTest == "" || p.ForTest == p.path() || p.ForTest+"_test" == p.path())
}

// fixed is whether the package's files are the standard library's, or a module's
// of some version, so that nobody edits them.
func (p *listed) fixed() bool {
	return p.Module == nil || !p.Module.Main && p.Module.Replace == nil
}

// path is the import path without the test's name: "x [y.test]" is x.
func (p *listed) path() string {
	path, _, _ := strings.Cut(p.ImportPath, " [")
	return path
}

// files are the paths of the package's files.
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

// imported is the ImportPath of what a file of the package imports as path.
func (p *listed) imported(path string) string {
	if other, ok := p.ImportMap[path]; ok {
		return other
	}
	return path
}

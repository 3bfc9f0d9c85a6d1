package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// findings are the errors of all platforms.
type findings struct {
	sync.Mutex
	root     string              // paths are printed below it
	where    map[string][]string // by FILE:LINE:COLUMN: message, the platforms
	packages int                 // checked with the bodies of their functions, on all platforms
}

func (f *findings) add(platform, text string) {
	f.Lock()
	defer f.Unlock()
	text = strings.ReplaceAll(text, f.root+string(filepath.Separator), "")
	if !slices.Contains(f.where[text], platform) { // a package and its test's variant have the same files
		f.where[text] = append(f.where[text], platform)
	}
}

// lines are the errors by file, each with its platforms.
func (f *findings) lines() (all []string) {
	for text, on := range f.where {
		slices.Sort(on)
		all = append(all, fmt.Sprintf("%s (%s)", text, strings.Join(on, ", ")))
	}
	slices.Sort(all)
	return all
}

// check checks modules of a repository for platforms, several at a time. The error
// is go list's, where it can't tell the packages at all.
func check(repository string, modules, platforms []string) (*findings, error) {
	root, err := filepath.Abs(repository)
	if err != nil {
		return nil, err
	}
	found := &findings{root: root, where: map[string][]string{}}
	read := &syntax{set: token.NewFileSet()}
	errs := make([]error, len(platforms))
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	var wait sync.WaitGroup
	for i, name := range platforms {
		wait.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			p := newPlatform(name, read, found)
			for _, m := range modules {
				errs[i] = errors.Join(errs[i], p.module(filepath.Join(root, m)))
			}
		})
	}
	wait.Wait()
	return found, errors.Join(errs...)
}

// syntax parses each file once for all platforms.
type syntax struct {
	set   *token.FileSet
	files sync.Map // by path, func() (*ast.File, error)
}

// file parses a file. Bodies of functions are dropped unless they are checked.
func (s *syntax) file(path string, bodies bool) (*ast.File, error) {
	once, _ := s.files.LoadOrStore(path, sync.OnceValues(func() (*ast.File, error) {
		file, err := parser.ParseFile(s.set, path, nil, parser.SkipObjectResolution)
		if file != nil && !bodies {
			for _, decl := range file.Decls {
				if f, ok := decl.(*ast.FuncDecl); ok {
					f.Body = nil
				}
			}
		}
		return file, err
	}))
	return once.(func() (*ast.File, error))()
}

// platform has the packages of one platform. Modules share those that have the
// same files and import the same packages.
type platform struct {
	name   string
	syntax *syntax
	found  *findings
	sizes  types.Sizes
	known  map[string]*types.Package // by build
}

func newPlatform(name string, read *syntax, found *findings) *platform {
	_, arch, _ := strings.Cut(name, "/")
	return &platform{name, read, found, types.SizesFor("gc", arch), map[string]*types.Package{}}
}

// built are the packages of one module that are checked, by ImportPath.
type built map[string]*types.Package

// importer resolves what a package imports.
type importer struct {
	built
	of *listed
}

// Import is the package that path names in the package's files.
func (i importer) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if p := i.built[i.of.imported(path)]; p != nil {
		return p, nil
	}
	return nil, errors.New("it has no files for this platform")
}

func (p *platform) module(folder string) error {
	packages, err := list(folder, p.name)
	if err != nil {
		return err
	}
	done := built{}
	for _, l := range packages {
		if l.Error != nil {
			p.found.add(p.name, fmt.Sprintf("%s: %s: %s", filepath.Join(folder, l.Error.Pos), l.ImportPath, l.Error.Err))
			continue
		}
		key := p.build(l, done)
		if p.known[key] == nil || l.ours() {
			p.known[key] = p.check(l, done)
		}
		done[l.ImportPath] = p.known[key]
	}
	return nil
}

// build tells packages apart: by files, and by the packages that they import.
func (p *platform) build(l *listed, done built) string {
	var key strings.Builder
	fmt.Fprintln(&key, l.ImportPath, l.files())
	for _, path := range l.Imports {
		fmt.Fprintf(&key, "%p ", done[l.imported(path)])
	}
	return key.String()
}

func (p *platform) check(l *listed, done built) *types.Package {
	var files []*ast.File
	for _, path := range l.files() {
		file, err := p.syntax.file(path, !l.fixed())
		if err != nil {
			p.found.add(p.name, err.Error())
		}
		if file != nil {
			files = append(files, file)
		}
	}
	ours := l.ours()
	config := types.Config{
		Importer: importer{done, l}, FakeImportC: true, IgnoreFuncBodies: !ours, Sizes: p.sizes,
		Error: func(err error) {
			if ours {
				p.found.add(p.name, err.Error())
			}
		},
	}
	if l.Module != nil && l.Module.GoVersion != "" {
		config.GoVersion = "go" + l.Module.GoVersion
	}
	checked, _ := config.Check(l.path(), p.syntax.set, files, nil) // Error has them
	if ours {
		p.found.Lock()
		p.found.packages++
		p.found.Unlock()
	}
	return checked
}

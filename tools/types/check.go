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

// findings holds the errors of all platforms.
type findings struct {
	sync.Mutex
	root     string              // prefix to remove from printed paths
	where    map[string][]string // platforms by FILE:LINE:COLUMN: message
	packages int                 // packages checked with function bodies, on all platforms
}

func (f *findings) add(platform, text string) {
	f.Lock()
	defer f.Unlock()
	text = strings.ReplaceAll(text, f.root+string(filepath.Separator), "")
	if !slices.Contains(f.where[text], platform) { // a package and the variant for its test share files
		f.where[text] = append(f.where[text], platform)
	}
}

// lines returns the errors sorted by file, each with its platforms.
func (f *findings) lines() (all []string) {
	for text, on := range f.where {
		slices.Sort(on)
		all = append(all, fmt.Sprintf("%s (%s)", text, strings.Join(on, ", ")))
	}
	slices.Sort(all)
	return all
}

// check checks a repository's modules for platforms, several platforms in parallel. It
// returns go list's error if go list can't list the packages.
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
	files sync.Map // by path: func() (*ast.File, error)
}

// file parses a file. Function bodies are dropped unless they are checked.
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

// platform holds the packages of one platform. Modules share a package if files and
// imports are the same.
type platform struct {
	name   string
	syntax *syntax
	found  *findings
	sizes  types.Sizes
	known  map[string]*types.Package // by key from build
}

func newPlatform(name string, read *syntax, found *findings) *platform {
	_, arch, _ := strings.Cut(name, "/")
	return &platform{name, read, found, types.SizesFor("gc", arch), map[string]*types.Package{}}
}

// built holds the checked packages of one module, by ImportPath.
type built map[string]*types.Package

// importer resolves a package's imports.
type importer struct {
	built
	of *listed
}

// Import returns the package imported as path in the package's files.
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

// build returns a key for a package: its files and its imported packages.
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
	checked, _ := config.Check(l.path(), p.syntax.set, files, nil) // the callback Error gets the errors
	if ours {
		p.found.Lock()
		p.found.packages++
		p.found.Unlock()
	}
	return checked
}

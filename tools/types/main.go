// Command types, run by make types, type-checks the program, the tests and the other
// modules like the compiler, on each system that hindsql supports. The check needs
// neither a C compiler nor the systems: go list names the files of a build, and
// go/types checks them.
//
// Each error is a line on stdout: FILE:LINE:COLUMN, the message, and the platforms with
// the error. The exit code is 1 if there are errors. Names from C count as correct,
// because types reads no C headers.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"
)

// platforms lists the supported systems, as GOOS/GOARCH, except linux/amd64, on which
// the tests run.
var platforms = []string{"windows/amd64", "darwin/amd64", "darwin/arm64", "linux/arm64", "freebsd/amd64"}

// modules lists the repository's folders with a go.mod.
var modules = []string{".", "tools", "cmd/hindsql-lake"}

func main() {
	repository := flag.String("C", ".", "`folder` of the repository")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: types [-C folder] [GOOS/GOARCH...]")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() > 0 {
		platforms = flag.Args()
	}
	debug.SetGCPercent(400) // syntax trees live as long as the program
	begin := time.Now()
	found, err := check(*repository, modules, platforms)
	if err != nil {
		fmt.Fprintln(os.Stderr, "types:", err)
		os.Exit(1)
	}
	for _, line := range found.lines() {
		fmt.Println(line)
	}
	fmt.Fprintf(os.Stderr, "types: %d packages of %s on %s: %d errors (%v)\n", found.packages, strings.Join(modules, ", "), strings.Join(platforms, ", "),
		len(found.where), time.Since(begin).Round(100*time.Millisecond))
	if len(found.where) > 0 {
		os.Exit(1)
	}
}

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
func (p *listed) fixed() bool { return p.Module == nil || !p.Module.Main && p.Module.Replace == nil }

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

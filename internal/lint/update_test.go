package lint_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestUpdateRunsWriters checks that `make update` runs each test that writes a golden
// file, and no other test of cmd/hindsql: the others need minutes. Such a test reads the
// flag -update, or calls a function of its package that does.
func TestUpdateRunsWriters(t *testing.T) {
	recipe := regexp.MustCompile(`(?m)^update:\n((?:\t.*\n)+)`).FindStringSubmatch(read(t, "Makefile"))
	golden := regexp.MustCompile(`(?m)^GOLDEN := (.*)`).FindStringSubmatch(read(t, "Makefile"))
	if recipe == nil || golden == nil {
		t.Fatal("Makefile: no target update, or no GOLDEN")
	}
	runs := map[string][]*regexp.Regexp{} // by folder of a package
	for _, line := range strings.Split(recipe[1], "\n") {
		packages, pattern, found := strings.Cut(line, " -run '")
		pattern, _, _ = strings.Cut(pattern, "'")
		if !found || strings.Contains(packages, "$(AGENTS)") { // readers call suites that write
			continue
		}
		pattern = strings.NewReplacer("$$", "$", "$(GOLDEN)", golden[1]).Replace(pattern)
		for _, name := range strings.Fields(packages)[1:] {
			folder := strings.TrimPrefix(name, "./")
			runs[folder] = append(runs[folder], regexp.MustCompile(pattern))
		}
	}
	all := writers(t)
	for folder, tests := range all {
		for _, name := range tests {
			if !slices.ContainsFunc(runs[folder], func(r *regexp.Regexp) bool { return r.MatchString(name) }) {
				t.Errorf("%s: %s writes golden files, and make update doesn't run it", folder, name)
			}
		}
	}
	for _, word := range strings.Split(golden[1], "|") {
		if !slices.ContainsFunc([]string{"cmd/hindsql", "cmd/hindsql/term", "cmd/hindsql/web"}, func(folder string) bool { return slices.Contains(all[folder], "Test"+word) }) {
			t.Errorf("Makefile: GOLDEN has %s, and Test%[1]s writes no golden file", word)
		}
	}
}

// writers returns the tests that depend on the flag -update, by the package's folder.
func writers(t *testing.T) map[string][]string {
	all := map[string][]string{}
	for folder, functions := range testFunctions(t) {
		found := map[string]bool{}
		for before := -1; before < len(found); {
			before = len(found)
			for name, f := range functions {
				if !found[name] && writes(f, found) {
					found[name] = true
				}
			}
		}
		for name := range found {
			if strings.HasPrefix(name, "Test") {
				all[folder] = append(all[folder], name)
			}
		}
	}
	return all
}

// testFunctions returns the functions of test files, by the package's folder and name.
func testFunctions(t *testing.T) map[string]map[string]*ast.FuncDecl {
	t.Helper()
	all, set := map[string]map[string]*ast.FuncDecl{}, token.NewFileSet()
	for _, s := range sources(t) {
		all[path.Dir(s.path)] = map[string]*ast.FuncDecl{}
	}
	for folder, functions := range all {
		for _, p := range glob(t, folder+"/*_test.go") {
			file, err := parser.ParseFile(set, p, read(t, p), parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range file.Decls {
				if f, ok := d.(*ast.FuncDecl); ok {
					functions[f.Name.Name] = f
				}
			}
		}
	}
	return all
}

// writes reports whether a function reads *update, or calls one of the found functions.
func writes(f *ast.FuncDecl, found map[string]bool) (is bool) {
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.StarExpr:
			id, ok := n.X.(*ast.Ident)
			is = is || ok && id.Name == "update"
		case *ast.CallExpr:
			id, ok := n.Fun.(*ast.Ident)
			is = is || ok && found[id.Name]
		}
		return !is
	})
	return is
}

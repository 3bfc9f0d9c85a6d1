package lint_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// vague lists verbs that don't say what a function does, in all their forms. The glossary
// in CONTRIBUTING.md has the words in their place: emit, record, claim, set …
var vague = strings.Fields(`
	tell tells told telling   take takes took taken taking   note notes noted noting
	say says said saying   give gives gave given giving
`)

// fieldsWords lists functions that begin with a vague verb because DuckDB, Go or an agent
// has the same word, with the reason. It has at most mostFieldsWords entries.
var fieldsWords = map[string]string{}

const mostFieldsWords = 10

// TestNamesSayWhatFunctionsDo checks that no function or method begins with a vague verb.
func TestNamesSayWhatFunctionsDo(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range sources(t) {
		for _, decl := range s.file.Decls {
			d, ok := decl.(*ast.FuncDecl)
			if !ok || !slices.Contains(vague, firstWord(d.Name.Name)) {
				continue
			}
			name := path.Dir(s.path) + "." + d.Name.Name
			if seen[name] = true; fieldsWords[name] == "" {
				t.Errorf("%s:%d: %s begins with a vague verb: the glossary in CONTRIBUTING.md has words that say what a function does", s.path, s.line(d.Pos()), d.Name)
			}
		}
	}
	for name := range fieldsWords {
		if !seen[name] {
			t.Errorf("%s is gone: strike it from fieldsWords", name)
		}
	}
	if len(fieldsWords) > mostFieldsWords {
		t.Errorf("fieldsWords has %d entries, %d at most", len(fieldsWords), mostFieldsWords)
	}
}

// firstWord returns the first word of a name in small letters: take of takeTurn.
func firstWord(name string) string {
	end := strings.IndexFunc(name[1:], func(r rune) bool { return !unicode.IsLower(r) })
	if end < 0 {
		return strings.ToLower(name)
	}
	return strings.ToLower(name[:end+1])
}

func TestFirstWord(t *testing.T) {
	for name, want := range map[string]string{"takeTurn": "take", "Given": "given", "x": "x", "isTaken": "is", "note2": "note", "JSON": "j"} {
		if got := firstWord(name); got != want {
			t.Errorf("%s begins with %s, want %s", name, got, want)
		}
	}
}

// TestNoImportIsHidden checks that no parameter or variable has the name of a package that
// its file imports.
func TestNoImportIsHidden(t *testing.T) {
	set := token.NewFileSet()
	err := fs.WalkDir(root, ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && p != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "bin"):
			return fs.SkipDir
		case path.Ext(p) != ".go":
			return nil
		}
		file, err := parser.ParseFile(set, p, read(t, p), parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		packages := map[string]bool{}
		for _, spec := range file.Imports {
			packages[importName(spec)] = true
		}
		for _, id := range variables(file) {
			if id.Name != "_" && packages[id.Name] {
				t.Errorf("%s:%d: variable %s hides the package: choose another name", p, set.Position(id.Pos()).Line, id.Name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// importName returns the name of an imported package: an alias, or the end of the path
// without a version and without the prefix go-.
func importName(spec *ast.ImportSpec) string {
	if spec.Name != nil {
		return spec.Name.Name
	}
	name, _ := strconv.Unquote(spec.Path.Value)
	if regexp.MustCompile(`/v\d+$`).MatchString(name) {
		name = path.Dir(name)
	}
	return strings.TrimPrefix(path.Base(name), "go-")
}

// variables returns the declarations of a file's variables, parameters and results.
func variables(file *ast.File) (list []*ast.Ident) {
	fields := func(all *ast.FieldList) {
		if all != nil {
			for _, f := range all.List {
				list = append(list, f.Names...)
			}
		}
	}
	defined := func(left ...ast.Expr) {
		for _, e := range left {
			if id, ok := e.(*ast.Ident); ok {
				list = append(list, id)
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			fields(n.Recv)
			fields(n.Type.Params)
			fields(n.Type.Results)
		case *ast.FuncLit:
			fields(n.Type.Params)
			fields(n.Type.Results)
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				defined(n.Lhs...)
			}
		case *ast.RangeStmt:
			if n.Tok == token.DEFINE {
				defined(n.Key, n.Value)
			}
		case *ast.ValueSpec:
			list = append(list, n.Names...)
		}
		return true
	})
	return list
}

package readers_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
)

// TestPatternsCompile finds invalid patterns, which no start of the program finds.
func TestPatternsCompile(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*/*.go")
	own, ownErr := filepath.Glob("*.go")
	if err != nil || ownErr != nil {
		t.Fatal(err, ownErr)
	}
	found := 0
	for _, path := range append(files, own...) {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) != 1 || nameOf(call.Fun) != "Lazy" {
				return true
			}
			if literal, ok := call.Args[0].(*ast.BasicLit); ok {
				found++
				text, _ := strconv.Unquote(literal.Value)
				if _, err := regexp.Compile(text); err != nil {
					t.Errorf("%s: %v", path, err)
				}
			}
			return true
		})
	}
	if found < 60 {
		t.Errorf("only %d patterns found", found)
	}
}

func nameOf(function ast.Expr) string {
	switch f := function.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

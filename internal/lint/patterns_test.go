package lint_test

import (
	"go/ast"
	"go/token"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestPatterns checks that the program compiles no regular expression when it starts,
// but when the expression is first used, see package pattern. It also compiles each such
// expression, because an invalid one would fail only in use.
func TestPatterns(t *testing.T) {
	t.Parallel()
	found := 0
	for _, s := range sources(t) {
		if strings.HasPrefix(s.path, "tools/") || strings.HasPrefix(s.path, "cmd/hindsql-lake/") || strings.HasSuffix(s.room, "test") {
			continue
		}
		for _, decl := range s.file.Decls {
			d, ok := decl.(*ast.GenDecl)
			if !ok || d.Tok != token.VAR {
				continue
			}
			ast.Inspect(d, func(n ast.Node) bool {
				if _, inside := n.(*ast.FuncLit); inside {
					return false // runs later
				}
				call, ok := n.(*ast.CallExpr)
				if !ok {
					return true
				}
				switch function, _ := call.Fun.(*ast.SelectorExpr); {
				case function != nil && function.Sel.Name == "MustCompile":
					t.Errorf("%s:%d: compiled when the program starts; use pattern.Lazy", s.path, s.line(n.Pos()))
				case calledAs(call, "Lazy"):
					found += compiles(t, s, call)
				}
				return true
			})
		}
	}
	if found < 90 {
		t.Errorf("only %d patterns found", found)
	}
}

// calledAs reports whether a call names the function, in whatever package.
func calledAs(call *ast.CallExpr, name string) bool {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name == name
	case *ast.SelectorExpr:
		return f.Sel.Name == name
	}
	return false
}

// compiles compiles the literal of a lazy pattern. It returns 0 if the pattern is no
// literal.
func compiles(t *testing.T, s *source, call *ast.CallExpr) int {
	literal, ok := call.Args[0].(*ast.BasicLit)
	if !ok {
		return 0
	}
	text, _ := strconv.Unquote(literal.Value)
	if _, err := regexp.Compile(text); err != nil {
		t.Errorf("%s:%d: %v", s.path, s.line(call.Pos()), err)
	}
	return 1
}

package lint_test

import (
	"go/ast"
	"path"
	"slices"
	"strings"
	"testing"
)

// mostEnvironment is the maximum number of fields of an environment. An embedded struct
// of ours, such as the three streams, counts as a single field.
const mostEnvironment = 12

// TestCommandsArePlain checks that a command of cmd/hindsql is a struct of options and
// a plain function. Tests can then call the command without a command line.
//
// The command's function, which newCommand gets, is named run and a word:
// func(context.Context, *environment, options) error, with options either commandLine
// or ending in Options. A RunE that uses an environment ends in a call of such a
// function. No other function may have such a name.
//
// An environment has at most 12 fields, and no method for a single command: at least
// two files besides the declaring file call the method, or name it. The check goes by
// syntax: calls count on a parameter or a receiver of type environment, and on a field
// of that name.
func TestCommandsArePlain(t *testing.T) {
	list := slices.DeleteFunc(sources(t), func(s *source) bool { return path.Dir(s.path) != "cmd/hindsql" })
	called := map[string]bool{}
	for _, s := range list {
		ast.Inspect(s.file, func(n ast.Node) bool {
			if runE := runEOf(n); runE != nil {
				name := lastCall(runE)
				called[name] = true
				if !strings.HasPrefix(name, "run") && mentions(runE, "env") {
					t.Errorf("%s:%d: RunE ends in no call of a command's run function", s.path, s.line(n.Pos()))
				}
			}
			if call, ok := n.(*ast.CallExpr); ok && typeText(call.Fun) == "newCommand" {
				called[typeText(call.Args[3])] = true
			}
			return true
		})
	}
	for _, s := range list {
		for _, decl := range s.file.Decls {
			d, ok := decl.(*ast.FuncDecl)
			if !ok || d.Recv != nil || !isRun(d.Name.Name) {
				continue
			}
			if !called[d.Name.Name] {
				t.Errorf("%s:%d: %s is no command's: another name would be clearer", s.path, s.line(d.Pos()), d.Name)
			} else if got := parameters(d); len(got) != 3 || got[0] != "context.Context" || got[1] != "*environment" || got[2] != "commandLine" && !strings.HasSuffix(got[2], "Options") {
				t.Errorf("%s:%d: %s takes %s; a command takes (context.Context, *environment, options)", s.path, s.line(d.Pos()), d.Name, strings.Join(got, ", "))
			}
		}
	}
	checkEnvironment(t, list)
}

// isRun reports whether a function is named like a command's: run and a capital letter.
func isRun(name string) bool {
	word, ok := strings.CutPrefix(name, "run")
	return ok && word != "" && ast.IsExported(word)
}

// runEOf returns the function of a field RunE; nil for any other node.
func runEOf(n ast.Node) *ast.FuncLit {
	field, ok := n.(*ast.KeyValueExpr)
	if !ok {
		return nil
	}
	if key, ok := field.Key.(*ast.Ident); !ok || key.Name != "RunE" {
		return nil
	}
	f, _ := field.Value.(*ast.FuncLit)
	return f
}

// lastCall returns the name of the function called in the final return of f.
func lastCall(f *ast.FuncLit) string {
	last, ok := f.Body.List[len(f.Body.List)-1].(*ast.ReturnStmt)
	if !ok || len(last.Results) != 1 {
		return ""
	}
	call, ok := last.Results[0].(*ast.CallExpr)
	if !ok {
		return ""
	}
	name, _ := call.Fun.(*ast.Ident)
	if name == nil {
		return ""
	}
	return name.Name
}

func mentions(n ast.Node, name string) (found bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && id.Name == name
		return true
	})
	return found
}

// parameters returns the types of a function's parameters.
func parameters(d *ast.FuncDecl) (list []string) {
	for _, f := range d.Type.Params.List {
		for range max(1, len(f.Names)) {
			list = append(list, typeText(f.Type))
		}
	}
	return list
}

// typeText returns the text of a named type, with package and star.
func typeText(e ast.Expr) string {
	switch t := e.(type) {
	case *ast.StarExpr:
		return "*" + typeText(t.X)
	case *ast.Ident:
		return t.Name
	case *ast.SelectorExpr:
		return typeText(t.X) + "." + t.Sel.Name
	}
	return "…"
}

func checkEnvironment(t *testing.T, list []*source) {
	declared, users := map[string]string{}, map[string]map[string]bool{}
	for _, s := range list {
		for _, decl := range s.file.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				if d.Recv != nil && isEnvironment(d.Recv.List[0].Type) {
					declared[d.Name.Name] = s.path
				}
				for name := range methodsCalled(d) {
					if users[name] == nil {
						users[name] = map[string]bool{}
					}
					users[name][s.path] = true
				}
			case *ast.GenDecl:
				if n := environmentFields(d); n > mostEnvironment {
					t.Errorf("%s: an environment has %d fields, %d at most", s.path, n, mostEnvironment)
				}
			}
		}
	}
	if len(declared) == 0 {
		t.Error("an environment has no methods: they are looked for in vain")
	}
	for name, in := range declared {
		delete(users[name], in)
		if len(users[name]) < 2 {
			t.Errorf("%s: %d files call environment.%s: a method is for several commands, make it a function", in, len(users[name]), name)
		}
	}
}

func isEnvironment(e ast.Expr) bool { return strings.TrimPrefix(typeText(e), "*") == "environment" }

// environmentFields returns the number of fields in a declaration of environment; 0 for
// other declarations.
func environmentFields(d *ast.GenDecl) (n int) {
	for _, spec := range d.Specs {
		t, ok := spec.(*ast.TypeSpec)
		if !ok || t.Name.Name != "environment" {
			continue
		}
		if s, ok := t.Type.(*ast.StructType); ok {
			for _, f := range s.Fields.List {
				n += max(1, len(f.Names))
			}
		}
	}
	return n
}

// methodsCalled returns the names that a function selects from an environment.
func methodsCalled(d *ast.FuncDecl) map[string]bool {
	environments, names := map[string]bool{"environment": true}, map[string]bool{} // also a field named environment
	fields := d.Type.Params.List
	if d.Recv != nil {
		fields = append(slices.Clone(fields), d.Recv.List...)
	}
	for _, f := range fields {
		for _, id := range f.Names {
			if isEnvironment(f.Type) {
				environments[id.Name] = true
			}
		}
	}
	ast.Inspect(d, func(n ast.Node) bool {
		if selected, ok := n.(*ast.SelectorExpr); ok {
			of := selected.X
			if inner, ok := of.(*ast.SelectorExpr); ok {
				of = inner.Sel
			}
			if id, ok := of.(*ast.Ident); ok && environments[id.Name] {
				names[selected.Sel.Name] = true
			}
		}
		return true
	})
	return names
}

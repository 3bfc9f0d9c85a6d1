package lint_test

import (
	"go/ast"
	"path"
	"slices"
	"strings"
	"testing"
)

// mostWorld are the fields of a world. A struct of ours that it embeds is one: a group
// of what belongs together, such as the three streams.
const mostWorld = 12

// TestCommandsArePlain: a command of cmd/hindsql is a struct of options and a plain
// function, which a test calls without a command line.
//
// RunE of a [cobra.Command] takes arguments into the options, and ends in a call of the
// command's function, whose name begins with run: func(context.Context, *world,
// options) error, where options is shared or ends in Options. A RunE that needs
// nothing of the world, such as that of a command which is gone, may do without. No
// other function is called run and a word.
//
// A world has at most 12 fields, and no method for a single command: two files
// besides the one that declares a method call it, or name it. That goes by syntax: a
// call counts behind a parameter or a receiver of type world, and a field so called.
func TestCommandsArePlain(t *testing.T) {
	list := slices.DeleteFunc(sources(t), func(s *source) bool { return path.Dir(s.path) != "cmd/hindsql" })
	called := map[string]bool{}
	for _, s := range list {
		ast.Inspect(s.file, func(n ast.Node) bool {
			if runE := runEOf(n); runE != nil {
				name := lastCall(runE)
				called[name] = true
				if !strings.HasPrefix(name, "run") && mentions(runE, "w") {
					t.Errorf("%s:%d: RunE ends in no call of a command's run function", s.path, s.line(n.Pos()))
				}
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
			} else if got := parameters(d); len(got) != 3 || got[0] != "context.Context" || got[1] != "*world" || got[2] != "shared" && !strings.HasSuffix(got[2], "Options") {
				t.Errorf("%s:%d: %s takes %s; a command takes (context.Context, *world, options)", s.path, s.line(d.Pos()), d.Name, strings.Join(got, ", "))
			}
		}
	}
	checkWorld(t, list)
}

// isRun says that a function is called as commands' are: run and a capital letter.
func isRun(name string) bool {
	word, ok := strings.CutPrefix(name, "run")
	return ok && word != "" && ast.IsExported(word)
}

// runEOf is the function of a field RunE; nil for any other node.
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

// lastCall is the name of the function whose result a function returns at its end.
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

// parameters are the types of a function's parameters, one each.
func parameters(d *ast.FuncDecl) (list []string) {
	for _, f := range d.Type.Params.List {
		for range max(1, len(f.Names)) {
			list = append(list, typeText(f.Type))
		}
	}
	return list
}

// typeText writes a type that is a name, with its package, behind a star or not.
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

func checkWorld(t *testing.T, list []*source) {
	declared, users := map[string]string{}, map[string]map[string]bool{}
	for _, s := range list {
		for _, decl := range s.file.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				if d.Recv != nil && isWorld(d.Recv.List[0].Type) {
					declared[d.Name.Name] = s.path
				}
				for name := range methodsCalled(d) {
					if users[name] == nil {
						users[name] = map[string]bool{}
					}
					users[name][s.path] = true
				}
			case *ast.GenDecl:
				if n := worldFields(d); n > mostWorld {
					t.Errorf("%s: a world has %d fields, %d at most", s.path, n, mostWorld)
				}
			}
		}
	}
	if len(declared) == 0 {
		t.Error("a world has no methods: they are looked for in vain")
	}
	for name, in := range declared {
		delete(users[name], in)
		if len(users[name]) < 2 {
			t.Errorf("%s: %d files call world.%s: a method is for several commands, make it a function", in, len(users[name]), name)
		}
	}
}

func isWorld(e ast.Expr) bool { return strings.TrimPrefix(typeText(e), "*") == "world" }

// worldFields counts the fields of a declaration of world; 0 for any other.
func worldFields(d *ast.GenDecl) (n int) {
	for _, spec := range d.Specs {
		t, ok := spec.(*ast.TypeSpec)
		if !ok || t.Name.Name != "world" {
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

// methodsCalled are the names that a function selects from a world.
func methodsCalled(d *ast.FuncDecl) map[string]bool {
	worlds, names := map[string]bool{"world": true}, map[string]bool{} // a field of that name, too
	fields := d.Type.Params.List
	if d.Recv != nil {
		fields = append(slices.Clone(fields), d.Recv.List...)
	}
	for _, f := range fields {
		for _, id := range f.Names {
			if isWorld(f.Type) {
				worlds[id.Name] = true
			}
		}
	}
	ast.Inspect(d, func(n ast.Node) bool {
		if selected, ok := n.(*ast.SelectorExpr); ok {
			of := selected.X
			if inner, ok := of.(*ast.SelectorExpr); ok {
				of = inner.Sel
			}
			if id, ok := of.(*ast.Ident); ok && worlds[id.Name] {
				names[selected.Sel.Name] = true
			}
		}
		return true
	})
	return names
}

package lint_test

import (
	"go/ast"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// manyMethods lists the types with more methods than mostMethods, with their numbers. A
// number may only fall: lower it with the code.
var manyMethods = map[string]int{
	"readers/codex.rollout":      122,
	"readers/copilot.log":        71,
	"readers/claude.transcript":  70,
	"readers/gemini.chat":        54,
	"cmd/hindsql-lake/lake.Lake": 50,
	"readers/vscode.emitter":     46,
	"readers/vscode.transcript":  42,
}

// types holds the program's own types, by folder and name.
type types struct {
	methods map[string][]string // method names by type
	structs map[string]structType
	reached map[string][]string // calls through a field, as Field.Method, with the calling folders
	imports map[string][]string // our folders imported by a folder
}

// structType holds a struct's embedded types and exported fields of our own types.
type structType struct {
	embeds []string
	fields map[string]string // types of exported fields, by name
}

func typesOf(list []*source) types {
	all := types{map[string][]string{}, map[string]structType{}, map[string][]string{}, map[string][]string{}}
	for _, s := range list {
		folder := path.Dir(s.path)
		ours := importsOf(s)
		all.imports[folder] = slices.AppendSeq(all.imports[folder], maps.Values(ours))
		for _, decl := range s.file.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				if d.Recv != nil {
					name := typeName(d.Recv.List[0].Type, folder, nil)
					all.methods[name] = append(all.methods[name], d.Name.Name)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if t, ok := spec.(*ast.TypeSpec); ok {
						all.declare(folder, t, ours)
					}
				}
			}
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				if name := behindField(call); name != "" {
					all.reached[name] = append(all.reached[name], folder)
				}
			}
			return true
		})
	}
	return all
}

func (all *types) declare(folder string, d *ast.TypeSpec, ours map[string]string) {
	name := folder + "." + d.Name.Name
	switch t := d.Type.(type) {
	case *ast.InterfaceType:
		for _, m := range t.Methods.List {
			for _, id := range m.Names {
				all.methods[name] = append(all.methods[name], id.Name)
			}
		}
	case *ast.StructType:
		of := structType{fields: map[string]string{}}
		for _, f := range t.Fields.List {
			inner := typeName(f.Type, folder, ours)
			if len(f.Names) == 0 && inner != "" {
				of.embeds = append(of.embeds, inner)
			}
			for _, id := range f.Names {
				if id.IsExported() && inner != "" {
					of.fields[id.Name] = inner
				}
			}
		}
		all.structs[name] = of
	}
}

// importsOf returns our folders imported by a file, by package name in the file.
func importsOf(s *source) map[string]string {
	ours := map[string]string{}
	for _, spec := range s.file.Imports {
		name, _ := strconv.Unquote(spec.Path.Value)
		if folder, ok := strings.CutPrefix(name, "hindsql/"); ok && spec.Name != nil {
			ours[spec.Name.Name] = folder
		} else if ok {
			ours[path.Base(folder)] = folder
		}
	}
	return ours
}

// typeName returns the type of a receiver or a field, by folder and name, without star
// and type parameters; empty for a type not ours.
func typeName(e ast.Expr, folder string, ours map[string]string) string {
	switch t := e.(type) {
	case *ast.StarExpr:
		return typeName(t.X, folder, ours)
	case *ast.IndexExpr:
		return typeName(t.X, folder, ours)
	case *ast.Ident:
		return folder + "." + t.Name
	case *ast.SelectorExpr:
		if of, ok := t.X.(*ast.Ident); ok && ours[of.Name] != "" {
			return ours[of.Name] + "." + t.Sel.Name
		}
	}
	return ""
}

// behindField returns Field.Method of a call x.Field.Method(…); empty for any other
// call.
func behindField(call *ast.CallExpr) string {
	method, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	field, ok := method.X.(*ast.SelectorExpr)
	if !ok || !field.Sel.IsExported() {
		return ""
	}
	return field.Sel.Name + "." + method.Sel.Name
}

// methodsOf counts the methods of each type of ours, by folder and name. It counts a
// type's own methods; methods of embedded types of ours, only exported methods if from
// a different package; and the exported methods of an exported field's type, if a
// package other than the struct's calls such a method through the field.
//
// The count goes by syntax. A call x.Field.Method(…) counts for each struct with such a
// field in an imported package, whatever x is. Some calls are missed: through a
// variable with a copy of the field, through a method that returns the field, by a
// package that doesn't import the struct's, or of a function value. Aliases, types made
// of other types, and type parameters are not resolved.
func methodsOf(list []*source) map[string]int {
	all := typesOf(list)
	counts := map[string]int{}
	for name := range all.methods {
		counts[name] = len(all.set(name))
	}
	for name := range all.structs {
		counts[name] = len(all.set(name))
	}
	return counts
}

// set returns the methods of a type, each once. Methods of a field have the field's
// name in front.
func (all *types) set(name string) map[string]bool {
	set := map[string]bool{}
	for _, m := range all.methods[name] {
		set[m] = true
	}
	folder := name[:strings.LastIndex(name, ".")]
	for _, inner := range all.structs[name].embeds {
		for m := range all.set(inner) {
			if strings.HasPrefix(inner, folder+".") || ast.IsExported(m) {
				set[m] = true
			}
		}
	}
	for field, inner := range all.structs[name].fields {
		if !all.isReached(folder, field, inner) {
			continue
		}
		for _, m := range all.methods[inner] {
			if ast.IsExported(m) {
				set[field+"."+m] = true
			}
		}
	}
	return set
}

// isReached reports whether a package other than the struct's calls a method of its
// field.
func (all *types) isReached(folder, field, inner string) bool {
	return slices.ContainsFunc(all.methods[inner], func(m string) bool {
		return slices.ContainsFunc(all.reached[field+"."+m], func(from string) bool { return slices.Contains(all.imports[from], folder) })
	})
}

// TestTypesAreParted limits the methods of a type: a type with too many is a room
// without walls.
func TestTypesAreParted(t *testing.T) {
	methods := methodsOf(sources(t))
	for name, n := range methods {
		most, listed := manyMethods[name]
		switch {
		case !listed && n > mostMethods:
			t.Errorf("%s has %d methods, %d at most", name, n, mostMethods)
		case listed && n > most:
			t.Errorf("%s has %d methods, and had %d: part it", name, n, most)
		case listed && n < most:
			t.Errorf("%s has %d methods now: lower the %d of manyMethods", name, n, most)
		}
	}
	for name := range manyMethods {
		if _, ok := methods[name]; !ok {
			t.Errorf("%s is gone: strike it from manyMethods", name)
		}
	}
}

// waysIn matches the calls reserved for a single room: opening a store, beginning a
// session, syncing. Faces use a Source instead.
var waysIn = regexp.MustCompile(`\bengine\.Open\(|[sS]tore\(?\)?\.(Session|Sync)\(`)

// TestOneWayToAnAnswer checks that only cmd/hindsql/ask opens stores, begins sessions
// and syncs. That package also declares the statement run by faces, and the notices
// worded by them.
func TestOneWayToAnAnswer(t *testing.T) {
	for _, s := range sources(t) {
		if s.room == "cmd/hindsql/ask" || !strings.HasPrefix(s.path, "cmd/hindsql/") || strings.HasPrefix(s.path, "cmd/hindsql-lake/") {
			continue
		}
		for i, line := range strings.Split(s.text, "\n") {
			switch {
			case waysIn.MatchString(line):
				t.Errorf("%s:%d: cmd/hindsql/ask opens, begins sessions and syncs: %s", s.path, i+1, strings.TrimSpace(line))
			case regexp.MustCompile(`^type [sS]tatement\b`).MatchString(line):
				t.Errorf("%s:%d: ask.Statement is the statement of every face", s.path, i+1)
			case strings.Contains(line, `TrimPrefix(`) && strings.Contains(line, `"hindsql: "`):
				t.Errorf("%s:%d: a notice is an ask.Notice, no text to take apart", s.path, i+1)
			case regexp.MustCompile(`^func (\(.*\) )?collect\b`).MatchString(line):
				t.Errorf("%s:%d: ask.Session.Collect collects", s.path, i+1)
			}
		}
	}
}

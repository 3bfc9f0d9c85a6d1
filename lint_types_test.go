package hindsql_test

import (
	"go/ast"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// manyMethods are the types with more methods than mostMethods, and how many they
// have. A number may only fall: lower it with the code.
var manyMethods = map[string]int{
	"readers/codex.rollout":       138,
	"readers/copilot.log":         72,
	"readers/claude.transcript":   71,
	"engine/push.making":          61,
	"cmd/hindsql/web.door":        60,
	"readers/gemini.chat":         55,
	"cmd/hindsql-lake/lake.Lake":  50,
	"readers/vscode.emitter":      49,
	"cmd/hindsql/web.Server":      47,
	"readers/vscode.transcript":   46,
	"engine/export.exporting":     44,
	"cmd/hindsql/web.request":     50,
	"readers/pi.log":              42,
	"cmd/hindsql/render.markdown": 42,
	"tables.message":              41,
}

// manyLines are the packages with more lines than mostLines, likewise.
var manyLines = map[string]int{
	"engine":      10000,
	"cmd/hindsql": 7170,
}

// methodsOf counts the methods of each type of ours, by folder and name, with those
// that it takes from the types that it embeds, and those of a field that other
// packages reach them through.
func methodsOf(list []*source) map[string]int {
	own, embeds := map[string]int{}, map[string][]string{}
	for _, s := range list {
		folder := path.Dir(s.path)
		for _, decl := range s.file.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				if d.Recv != nil {
					own[folder+"."+typeName(d.Recv.List[0].Type)]++
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if t, ok := spec.(*ast.TypeSpec); ok {
						embeds[folder+"."+t.Name.Name] = embedded(folder, t)
					}
				}
			}
		}
	}
	all := map[string]int{}
	var count func(name string) int
	count = func(name string) int {
		n := own[name]
		for _, inner := range embeds[name] {
			n += count(inner)
		}
		return n
	}
	for name := range own {
		all[name] = count(name)
	}
	for name := range embeds {
		all[name] = count(name)
	}
	return all
}

// typeName is the name of a receiver's or a field's type, without star, package and
// type parameters.
func typeName(e ast.Expr) string {
	switch t := e.(type) {
	case *ast.StarExpr:
		return typeName(t.X)
	case *ast.IndexExpr:
		return typeName(t.X)
	case *ast.Ident:
		return t.Name
	}
	return ""
}

// embedded are the types of the same package that a struct embeds.
func embedded(folder string, t *ast.TypeSpec) (list []string) {
	s, ok := t.Type.(*ast.StructType)
	if !ok {
		return nil
	}
	for _, f := range s.Fields.List {
		if name := typeName(f.Type); len(f.Names) == 0 && name != "" {
			list = append(list, folder+"."+name)
		}
	}
	return list
}

// TestTypesAreParted: a type with more methods is a room without walls.
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

func TestPackagesAreParted(t *testing.T) {
	lines := map[string]int{}
	for _, s := range sources(t) {
		lines[path.Dir(s.path)] += s.line(s.file.FileEnd)
	}
	for _, folder := range slices.Sorted(maps.Keys(lines)) {
		most := max(mostLines, manyLines[folder])
		if lines[folder] > most {
			t.Errorf("%s has %d lines, %d at most", folder, lines[folder], most)
		}
	}
}

// waysIn are the calls that only one room makes: what opens a store, begins a session
// or syncs. A face has them from a Source.
var waysIn = regexp.MustCompile(`\bengine\.Open\(|[sS]tore\(?\)?\.(Session|Sync)\(`)

// TestOneWayToAnAnswer: cmd/hindsql/ask opens stores, begins sessions and syncs, and
// has the statement that faces run and the notices that they word.
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
			case regexp.MustCompile(`^func (\(.*\) )?collect\b`).MatchString(line) && !strings.Contains(s.text, ".Collect("):
				t.Errorf("%s:%d: ask.Session.Collect collects", s.path, i+1)
			}
		}
	}
}

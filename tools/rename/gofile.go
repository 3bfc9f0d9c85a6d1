package main

import (
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// edit replaces the bytes from start to end of a file.
type edit struct {
	start, end int
	text       string
}

// goFile rewrites a Go file: imports, strings that begin with a package's path, and links
// in comments. A path further on in a string, such as "the folder hindsql/queries", may
// be the user's, and stays. Imports are sorted anew.
func (m *move) goFile(name string, text []byte) ([]byte, error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	imported := map[*ast.BasicLit]bool{}
	for _, spec := range file.Imports {
		imported[spec.Path] = true
	}
	var edits []edit
	ast.Inspect(file, func(n ast.Node) bool {
		l, ok := n.(*ast.BasicLit)
		if !ok || l.Kind != token.STRING {
			return true
		}
		value, err := strconv.Unquote(l.Value)
		if to, ours := m.moved(value); err == nil && ours && (imported[l] || m.names(value)) {
			edits = append(edits, edit{set.Position(l.Pos()).Offset, set.Position(l.End()).Offset, strconv.Quote(to)})
		}
		return true
	})
	link := regexp.MustCompile(`\[(` + regexp.QuoteMeta(m.from) + `/[\w/-]+)(?:\.\w+)*\]`)
	for _, group := range file.Comments {
		for _, c := range group.List {
			at := set.Position(c.Pos()).Offset
			for _, found := range link.FindAllStringSubmatchIndex(c.Text, -1) {
				to, _ := m.moved(c.Text[found[2]:found[3]])
				edits = append(edits, edit{at + found[2], at + found[3], to})
			}
		}
	}
	if len(edits) == 0 {
		return text, nil
	}
	return format.Source(edited(text, edits))
}

// pathEnd matches what ends a path in a string.
var pathEnd = regexp.MustCompile(`[^\w./-]`)

// names reports whether a string begins with the module's path and a slash, or with the
// path of a folder of packages.
func (m *move) names(value string) bool {
	inside, ours := strings.CutPrefix(value, m.from+"/")
	if end := pathEnd.FindStringIndex(inside); end != nil {
		inside = inside[:end[0]]
	}
	return ours && (inside == "" || m.folders[strings.TrimSuffix(inside, "/")])
}

// edited applies edits that don't overlap.
func edited(text []byte, edits []edit) []byte {
	slices.SortFunc(edits, func(a, b edit) int { return a.start - b.start })
	var out []byte
	at := 0
	for _, e := range edits {
		out = append(append(out, text[at:e.start]...), e.text...)
		at = e.end
	}
	return append(out, text[at:]...)
}

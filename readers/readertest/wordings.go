package readertest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// words are at least two, of letters: what a program says.
var words = regexp.MustCompile(`[A-Za-z]{2,}[^A-Za-z]* [^A-Za-z]*[A-Za-z]{2,}`)

// notSaid are strings that no program says: long lists of names, and kinds of
// records.
var notSaid = regexp.MustCompile(`content/|\n\t`)

// Wordings are the sentences that a reader's source knows: each of its strings
// that has several words, and of each pattern a text that it matches. A new one
// is among them by itself. more are those that it puts together.
func Wordings(t testing.TB, folder string, more ...string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, text := range more {
		found[text] = true
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			field, isField := n.(*ast.Field)
			if e, ok := n.(ast.Expr); ok {
				if text, pattern, ok := textOf(e); ok {
					for _, s := range sentences(text, pattern) {
						found[s] = true
					}
					return false
				}
			}
			return !isField || field.Tag == nil
		})
	}
	list := slices.Sorted(maps.Keys(found))
	if len(list) < 10 {
		t.Fatalf("only %d sentences in %s", len(list), folder)
	}
	return list
}

// textOf is the text of a string of Go, or of several that are added; pattern
// says that it is written raw.
func textOf(e ast.Expr) (text string, pattern, ok bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, strings.HasPrefix(e.Value, "`"), e.Kind == token.STRING && err == nil
	case *ast.BinaryExpr:
		a, ra, okA := textOf(e.X)
		b, rb, okB := textOf(e.Y)
		return a + b, ra || rb, okA && okB && e.Op == token.ADD
	}
	return "", false, false
}

// sentences are the texts of a string that is words: itself, or what it matches
// where it is a pattern, a text for each alternative.
func sentences(text string, pattern bool) []string {
	if !words.MatchString(text) || notSaid.MatchString(text) {
		return nil
	}
	if !pattern || !strings.ContainsAny(text, `^$\(|*+`) {
		return []string{text}
	}
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return []string{text}
	}
	var list []string
	for n := range alternatives(parsed) {
		if s := match(parsed, n); !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

// alternatives is the most that any choice in a pattern has.
func alternatives(p *syntax.Regexp) int {
	most := 1
	if p.Op == syntax.OpAlternate {
		most = len(p.Sub)
	}
	for _, sub := range p.Sub {
		most = max(most, alternatives(sub))
	}
	return most
}

// match is a text that a pattern matches: of alternatives the nth, of what may
// be left out nothing.
func match(p *syntax.Regexp, n int) string {
	switch p.Op {
	case syntax.OpLiteral:
		return string(p.Rune)
	case syntax.OpCharClass:
		return string(charOf(p.Rune))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return "x"
	case syntax.OpAlternate:
		return match(p.Sub[n%len(p.Sub)], n)
	case syntax.OpCapture, syntax.OpPlus:
		return match(p.Sub[0], n)
	case syntax.OpRepeat:
		return strings.Repeat(match(p.Sub[0], n), p.Min)
	case syntax.OpConcat:
		var all strings.Builder
		for _, sub := range p.Sub {
			all.WriteString(match(sub, n))
		}
		return all.String()
	}
	return ""
}

// charOf is a character of a class, a readable one where it has any.
func charOf(class []rune) rune {
	for _, c := range "a1 " {
		for i := 0; i+1 < len(class); i += 2 {
			if class[i] <= c && c <= class[i+1] {
				return c
			}
		}
	}
	return class[0]
}

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

// words matches at least two words of letters, the sign of a program's message.
var words = regexp.MustCompile(`[A-Za-z]{2,}[^A-Za-z]* [^A-Za-z]*[A-Za-z]{2,}`)

// noSentence matches strings in a reader's source that are no sentences: long lists of
// names, and kinds of records.
var noSentence = regexp.MustCompile(`content/|\n\t`)

// Wordings returns the sentences in a reader's source: each string of several words,
// and for each pattern a text that matches it. A new sentence is found automatically.
// more holds sentences that the reader builds at run time.
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

// textOf returns the text of a Go string, or of several joined by +. pattern is true if
// any is a raw string.
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

// sentences returns the texts of a string with several words: the string itself, or for
// a pattern a matching text for each alternative.
func sentences(text string, pattern bool) []string {
	if !words.MatchString(text) || noSentence.MatchString(text) {
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

// alternatives returns the size of the largest choice in a pattern.
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

// match returns a text that a pattern matches, with the nth of the alternatives and
// without the optional parts.
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

// charOf returns a character of a class, a readable one if possible.
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

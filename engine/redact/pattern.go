package redact

import (
	"regexp"
	"sync"
)

// pattern is a regular expression whose bytes are counted. All patterns of this package
// have this type.
type pattern struct{ expr *regexp.Regexp }

// examined is told, in tests only, of each text that a pattern or a reader of values
// gets. The expression is nil for a reader.
var examined func(expr *regexp.Regexp, text string)

func examine(expr *regexp.Regexp, text string) string {
	if examined != nil {
		examined(expr, text)
	}
	return text
}

// lazy compiles a pattern at its first use.
func lazy(expr string) func() *pattern {
	return sync.OnceValue(func() *pattern { return &pattern{regexp.MustCompile(expr)} })
}

func (p *pattern) MatchString(s string) bool  { return p.expr.MatchString(examine(p.expr, s)) }
func (p *pattern) FindString(s string) string { return p.expr.FindString(examine(p.expr, s)) }

func (p *pattern) FindStringSubmatchIndex(s string) []int {
	return p.expr.FindStringSubmatchIndex(examine(p.expr, s))
}

func (p *pattern) FindAllStringSubmatchIndex(s string, n int) [][]int {
	return p.expr.FindAllStringSubmatchIndex(examine(p.expr, s), n)
}

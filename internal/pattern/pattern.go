// Package pattern compiles regular expressions when they are first used. hindsql has a
// hundred, and most commands need none: compiling them all at the start would add four
// milliseconds to every command, most of them for new memory.
package pattern

import (
	"regexp"
	"sync"
)

// Pattern is a regular expression, compiled at first use. Its methods are those of
// [regexp.Regexp]. Several goroutines may use it at the same time.
type Pattern struct {
	text    string
	compile sync.Once
	regexp  *regexp.Regexp
}

// Lazy returns a Pattern. Its first use panics if the text isn't a regular expression; a
// test in internal/lint compiles each.
func Lazy(text string) *Pattern { return &Pattern{text: text} }

// Regexp returns the compiled expression.
func (p *Pattern) Regexp() *regexp.Regexp {
	p.compile.Do(func() { p.regexp = regexp.MustCompile(p.text) })
	return p.regexp
}

// MatchString reports whether a text matches.
func (p *Pattern) MatchString(s string) bool { return p.Regexp().MatchString(s) }

// Match reports whether a text matches.
func (p *Pattern) Match(b []byte) bool { return p.Regexp().Match(b) }

// FindString returns the first match, or an empty text for no match.
func (p *Pattern) FindString(s string) string { return p.Regexp().FindString(s) }

// FindStringSubmatch returns the first match with groups, or nil for no match.
func (p *Pattern) FindStringSubmatch(s string) []string { return p.Regexp().FindStringSubmatch(s) }

// FindStringSubmatchIndex returns where the first match and its groups begin and end, in
// bytes, or nil for no match.
func (p *Pattern) FindStringSubmatchIndex(s string) []int {
	return p.Regexp().FindStringSubmatchIndex(s)
}

// FindAllStringSubmatch returns the first n matches and their groups, or all if n < 0.
func (p *Pattern) FindAllStringSubmatch(s string, n int) [][]string {
	return p.Regexp().FindAllStringSubmatch(s, n)
}

// ReplaceAllString replaces every match.
func (p *Pattern) ReplaceAllString(s, by string) string { return p.Regexp().ReplaceAllString(s, by) }

package readers

import (
	"regexp"
	"sync"
)

// Pattern is a regular expression, compiled at first use. The readers have seventy.
// Compiling all at the start would add two milliseconds to every command, and most
// commands read no log.
type Pattern struct {
	text    string
	compile sync.Once
	regexp  *regexp.Regexp
}

// Lazy returns a Pattern. Its first use panics if the text isn't a regular expression.
func Lazy(text string) *Pattern { return &Pattern{text: text} }

func (p *Pattern) compiled() *regexp.Regexp {
	p.compile.Do(func() { p.regexp = regexp.MustCompile(p.text) })
	return p.regexp
}

// MatchString is [regexp.Regexp.MatchString]. The other methods also match those of
// Regexp.
func (p *Pattern) MatchString(s string) bool { return p.compiled().MatchString(s) }

// Match reports whether a text matches.
func (p *Pattern) Match(b []byte) bool { return p.compiled().Match(b) }

// FindString returns the first match.
func (p *Pattern) FindString(s string) string { return p.compiled().FindString(s) }

// FindStringSubmatch returns the first match with groups, or nil for no match.
func (p *Pattern) FindStringSubmatch(s string) []string { return p.compiled().FindStringSubmatch(s) }

// FindAllStringSubmatch returns the first n matches and their groups, or all if n < 0.
func (p *Pattern) FindAllStringSubmatch(s string, n int) [][]string {
	return p.compiled().FindAllStringSubmatch(s, n)
}

// ReplaceAllString replaces every match.
func (p *Pattern) ReplaceAllString(s, by string) string { return p.compiled().ReplaceAllString(s, by) }

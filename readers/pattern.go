package readers

import (
	"regexp"
	"sync"
)

// Pattern is a regular expression that is compiled when it is first used. The
// readers have seventy: compiled at the start, they cost every command two
// milliseconds, and most commands read no log.
type Pattern struct {
	text    string
	compile sync.Once
	regexp  *regexp.Regexp
}

// Lazy declares a Pattern. Its first use panics where the text is none.
func Lazy(text string) *Pattern { return &Pattern{text: text} }

func (p *Pattern) compiled() *regexp.Regexp {
	p.compile.Do(func() { p.regexp = regexp.MustCompile(p.text) })
	return p.regexp
}

// MatchString is that of [regexp.Regexp], as are the others.
func (p *Pattern) MatchString(s string) bool { return p.compiled().MatchString(s) }

// Match reports whether a text matches.
func (p *Pattern) Match(b []byte) bool { return p.compiled().Match(b) }

// FindString gives the first match.
func (p *Pattern) FindString(s string) string { return p.compiled().FindString(s) }

// FindStringSubmatch gives the first match and its groups; nil for none.
func (p *Pattern) FindStringSubmatch(s string) []string { return p.compiled().FindStringSubmatch(s) }

// FindAllStringSubmatch gives the first n matches and their groups; of a negative n, all.
func (p *Pattern) FindAllStringSubmatch(s string, n int) [][]string {
	return p.compiled().FindAllStringSubmatch(s, n)
}

// ReplaceAllString replaces every match.
func (p *Pattern) ReplaceAllString(s, by string) string { return p.compiled().ReplaceAllString(s, by) }

package redact

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Own is a rule of hindsql's own: what gitleaks' release doesn't find, or only
// whole and under a certain name. Examples are templates: {20} stands for 20
// letters and digits drawn by chance, {20:hex} for those of an alphabet.
type Own struct {
	Name     string   // stands in the mark
	Pattern  string   // of the secret, or of its context with the secret as the first group; or what is looked for, in words
	Keywords []string // one of them stands in what is found, in any case
	Source   string   // page that says what such secrets look like
	Finds    string   // an example, its secret between « and »
	Leaves   string   // what looks alike, and is none

	accept func(secret string) bool                 // nil: keys, as isKey has it
	locate func(text string, start, end int) []span // in place of a pattern: secrets about a keyword
	whole  bool                                     // the pattern is searched in the whole text
	inside bool                                     // the keyword isn't the pattern's beginning
	look   func(rest string) bool                   // what follows the keyword may be a key; nil: eight characters of one
}

// span is a part of a text.
type span struct{ start, end int }

// ownVersion is raised when our rules find something else without another name or
// pattern: exports of other rules are not updated but made anew.
const ownVersion = 4

// Owns lists hindsql's own rules.
func Owns() []Own { return slices.Concat(contexts(), keys, services, clouds) }

// rule makes what is searched for. The patterns of keys match with what stands
// before them: a word that ends in the same letters begins no key.
func (o *Own) rule() *rule {
	r := &rule{ID: o.Name, Regex: o.Pattern, Keywords: o.Keywords, everywhere: &allowlist{}, accept: o.accept, locate: o.locate, rank: 1}
	if o.locate != nil {
		r.rank = 3
		return r
	}
	if r.accept == nil {
		r.Regex, r.accept = before+"("+o.Pattern+")", isKey
	}
	if !o.whole {
		r.likely = o.quickLook()
	}
	return r
}

func (o *Own) quickLook() func(rest string) bool {
	switch {
	case o.look != nil:
		return o.look
	case o.inside:
		return func(string) bool { return true }
	}
	return func(rest string) bool { return run(rest, isToken, shortest) == shortest }
}

// shortest is what at least follows the beginning of a key.
const shortest = 8

// hexAfter and alnumAfter look for that many digits, or letters and digits, behind a
// keyword that is short or a part of words.
func hexAfter(n int) func(rest string) bool {
	return func(rest string) bool { return run(rest, isHex, n) == n }
}

func alnumAfter(n int) func(rest string) bool {
	return func(rest string) bool { return run(rest, isAlnum, n) == n }
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isAlnum(c byte) bool { return isDigit(c) || 'a' <= lower(c) && lower(c) <= 'z' }

// before is what stands before a key: no letter or digit, unless it is of an
// escape.
const before = `(?m:^[+ -]?|[^A-Za-z0-9_+/-]|\\[nrt]|%[0-9A-Fa-f]{2}|\\u00[0-9a-f]{2})`

// isKey says that what looks like a key is none that an example shows.
func isKey(s string) bool {
	body := s
	for range 3 { // what vendors put before their keys is a word or two
		if i := strings.IndexAny(body, "_-."); i >= 0 && i < 14 && len(body)-i > 16 {
			body = body[i+1:]
		}
	}
	if shapeOf(body).kinds < 6 || holders().any(s) || strings.Contains(s, "AAAAAA") {
		return false
	}
	n := shapeOf(body)
	switch {
	case n.letters == 0:
		return n.digits >= 10
	case n.digits == 0:
		return n.upper > 0 && n.lower > 0 && float64(n.likely) < 0.8*float64(n.pairs) || n.lower == 0 && float64(n.likely) < 0.8*float64(n.pairs)
	case n.turns <= 2 && n.pairs >= 6:
		return float64(n.likely) < 0.88*float64(n.pairs)
	}
	return true
}

// lazy compiles a pattern when it is first needed.
func lazy(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}

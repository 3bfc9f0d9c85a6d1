package redact

import (
	"slices"
	"strings"
)

// Own is a rule of hindsql's own for secrets that gitleaks' release misses, or finds
// only whole and under certain names. Examples are templates: {20} stands for 20 random
// letters and digits, {20:hex} for random characters of an alphabet.
type Own struct {
	Name     string   // appears in the mark
	Pattern  string   // of the secret, or of its context with the secret as the first group; or a description in words
	Keywords []string // every finding contains a keyword, in any case
	Source   string   // page that describes such secrets
	Finds    string   // an example, with its secret between « and »
	Leaves   string   // similar text that is no secret

	accept func(secret string) bool                 // nil for keys, see isKey
	locate func(text string, start, end int) []span // replaces the pattern: returns the secrets around a keyword
	whole  bool                                     // the pattern is searched in the whole text
	inside bool                                     // the keyword isn't the pattern's beginning
	look   func(rest string) bool                   // reports whether a key may follow the keyword; nil for eight characters of a token
}

// span is a part of a text.
type span struct{ start, end int }

// ownVersion increases if hindsql's rules change their findings without a new name or
// pattern. Exports with other rules are written anew instead of updated.
const ownVersion = 5

// Owns lists hindsql's own rules.
func Owns() []Own { return slices.Concat(contexts(), keys, services, clouds) }

// rule returns the rule to search for. Patterns of keys also match the character before
// the key, because a word that ends in the same letters is no key.
func (o *Own) rule() *rule {
	r := &rule{ID: o.Name, Regex: o.Pattern, Keywords: o.Keywords, everywhere: &allowlist{}, accept: o.accept, locate: o.locate, rank: 1}
	if o.locate != nil {
		r.rank = 3
		return r
	}
	if r.accept == nil {
		r.Regex, r.accept = before+"("+o.Pattern+")", isKey
		if !slices.ContainsFunc(o.Keywords, func(k string) bool { return !strings.ContainsAny(k, "_-.:") }) {
			r.Regex = "(?:/|" + before + ")(" + o.Pattern + ")" // a path may contain the key, but base64 doesn't
		}
	}
	switch {
	case o.whole:
	case o.look != nil:
		r.likely = o.look
	case o.inside:
		r.likely = atLeast(0, isToken)
	default:
		r.likely = atLeast(shortest, isToken)
	}
	return r
}

// shortest is the shortest length of a key after its beginning.
const shortest = 8

// atLeast returns a check for n bytes of a kind after a keyword.
func atLeast(n int, kind func(byte) bool) func(rest string) bool {
	return func(rest string) bool { return run(rest, kind, n) == n }
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isAlnum(c byte) bool { return isDigit(c) || 'a' <= lower(c) && lower(c) <= 'z' }

// before matches the character before a key: no letter or digit, except in an escape.
const before = `(?m:^[+ -]?|[^A-Za-z0-9_+/-]|\\[nrt]|%[0-9A-Fa-f]{2}|\\u00[0-9a-f]{2})`

// isKey reports whether a text like a key is a real key and no example.
func isKey(s string) bool {
	body := s
	for range 3 { // vendors begin keys with a word or two
		if i := strings.IndexAny(body, "_-."); i >= 0 && i < 14 && len(body)-i > 16 {
			body = body[i+1:]
		}
	}
	n := shapeOf(body)
	switch {
	case n.kinds < 6 || holders().any(s) || strings.Contains(s, "AAAAAA"):
		return false
	case n.letters == 0:
		return n.digits >= 10
	case n.digits == 0:
		return n.upper > 0 && float64(n.likely) < 0.8*float64(n.pairs)
	case n.turns <= 2 && n.pairs >= 6:
		return float64(n.likely) < 0.88*float64(n.pairs)
	}
	return true
}

package redact

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/BurntSushi/toml"
	"github.com/zricethezav/gitleaks/v8/config"
)

// rule is a rule of gitleaks or of hindsql. Conditions on a file's path are ignored,
// because a log may quote any file.
type rule struct {
	ID          string
	Regex       string
	Entropy     float64 // minimum entropy of a secret, exclusive, in bits a character; 0 for any
	SecretGroup int     `toml:"secretGroup"` // group of the pattern that is the secret; 0 for the first matching group
	Keywords    []string
	Allowlists  []*allowlist

	everywhere *allowlist
	also       *words                                   // of which every text with a match contains one; nil for any text
	likely     func(rest string) bool                   // nil to search the whole text; see named.go
	accept     func(secret string) bool                 // for hindsql's rules; nil for every match
	locate     func(text string, start, end int) []span // for hindsql's rules, replacing the pattern; see contexts.go
	named      bool                                     // the pattern is tried only at keywords; see named.go
	rank       int                                      // if several rules find a secret, the lowest rank names the secret
	pattern    func() *pattern
}

// allowlist describes text that looks like a secret but isn't secret.
type allowlist struct {
	Condition   string
	RegexTarget string `toml:"regexTarget"` // match, line, or empty for the secret
	Regexes     []string
	Stopwords   []string

	compile  sync.Once
	patterns []*pattern
	words    *words
}

// readRules panics on unreadable rules, because the rules are part of the program.
func readRules() []*rule {
	var file struct {
		Allowlist *allowlist
		Rules     []*rule
	}
	if _, err := toml.Decode(config.DefaultConfig, &file); err != nil {
		panic(err)
	}
	var rules []*rule
	for _, r := range file.Rules {
		if r.Regex != "" && r.ID != "private-key" { // one rule is about file names; hindsql's own finds even cut-off private keys
			r.everywhere, r.likely = file.Allowlist, likely[r.ID]
			switch r.ID {
			case "kubernetes-secret-yaml":
				r.Keywords, r.also = []string{"data:"}, wordsOf("kind:") // both occur in every match, and more rarely than "secret"
			case "generic-api-key":
				r.rank = 2
			}
			rules = append(rules, r)
		}
	}
	return rules
}

// crowd is how many places of a keyword may search the same byte.
const crowd = 4

// located adds the secrets around the places of a keyword. The search from a place ends
// at the fourth place before and at the fourth place behind. So keywords side by side
// take no longer than keywords apart.
func (r *rule) located(found []finding, text string, keywords []span) []finding {
	for i, k := range keywords {
		from, to := 0, len(text)
		if i >= crowd {
			from = keywords[i-crowd].start
		}
		if i+crowd < len(keywords) {
			to = max(keywords[i+crowd].end, k.end)
		}
		for _, s := range r.locate(text[from:to], k.start-from, k.end-from) {
			found = append(found, finding{r, s.start + from, s.end + from})
		}
	}
	return found
}

// find adds the secrets in a window of the text.
func (r *rule) find(found []finding, text string, w span) []finding {
	for _, at := range r.pattern().FindAllStringSubmatchIndex(text[w.start:w.end], -1) {
		found = r.add(found, text, w.start, at)
	}
	return found
}

// add adds a match's secret if it isn't allowed.
func (r *rule) add(found []finding, text string, from int, at []int) []finding {
	group := 2 * r.SecretGroup
	for i := 2; i < len(at) && group == 0; i += 2 {
		if at[i] < at[i+1] {
			group = i
		}
	}
	start, end := from+at[group], from+at[group+1]
	if group == 0 {
		start = max(start, from) // without the name before the pattern
	}
	if start < end && !r.isAllowed(text, text[start:end], from+at[0], from+at[1]) {
		found = append(found, finding{r, start, end})
	}
	return found
}

func (r *rule) isAllowed(text, secret string, start, end int) bool {
	if r.accept != nil {
		return !r.accept(secret)
	}
	if r.ID == "generic-api-key" && isOrdinary(text, start+strings.Index(text[start:end], secret), secret) || r.Entropy > 0 && entropy(secret) <= r.Entropy {
		return true
	}
	match := strings.Trim(text[start:min(end, start+longestValue)], "\n")
	secret = secret[:min(len(secret), longestValue)]
	return r.everywhere.allows(text, secret, match, start) || slices.ContainsFunc(r.Allowlists, func(a *allowlist) bool { return a.allows(text, secret, match, start) })
}

func (a *allowlist) allows(text, secret, match string, start int) bool {
	if a.Condition == "AND" {
		return false // the only AND list depends on the file's name
	}
	a.compile.Do(a.prepare)
	target := secret
	switch a.RegexTarget {
	case "match":
		target = match
	case "line":
		target = lineAt(text, start, start+len(match))
	}
	return slices.ContainsFunc(a.patterns, func(p *pattern) bool { return p.MatchString(target) }) || len(a.Stopwords) > 0 && a.words.any(secret)
}

func (a *allowlist) prepare() {
	for _, r := range a.Regexes {
		a.patterns = append(a.patterns, lazy(r)())
	}
	a.words = wordsOf(a.Stopwords...)
}

// lineAt returns the line around a match, and of a long line the nearest bytes.
func lineAt(text string, start, end int) string {
	const near = 200
	from, to := max(0, start-near), min(len(text), end+near)
	from += strings.LastIndexByte(text[from:start], '\n') + 1
	rest, _, _ := strings.Cut(text[end:to], "\n")
	return text[from : end+len(rest)]
}

// entropy returns the Shannon entropy in bits a character, as gitleaks computes it.
func entropy(secret string) (bits float64) {
	counts := map[rune]int{}
	for _, c := range secret {
		counts[c]++
	}
	for _, n := range counts {
		share := float64(n) / float64(len(secret))
		bits -= share * math.Log2(share)
	}
	return bits
}

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

func (p *pattern) MatchString(s string) bool { return p.expr.MatchString(examine(p.expr, s)) }

func (p *pattern) FindString(s string) string { return p.expr.FindString(examine(p.expr, s)) }

func (p *pattern) FindStringSubmatchIndex(s string) []int {
	return p.expr.FindStringSubmatchIndex(examine(p.expr, s))
}

func (p *pattern) FindAllStringSubmatchIndex(s string, n int) [][]int {
	return p.expr.FindAllStringSubmatchIndex(examine(p.expr, s), n)
}

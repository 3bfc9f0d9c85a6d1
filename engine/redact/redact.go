// Package redact replaces secrets in texts: keys, tokens, passwords.
//
// In: a text, or a JSON value. Out: the same with each secret replaced by
// [redacted:RULE]; JSON stays valid. Secrets are defined by the default configuration
// of gitleaks, from its Go module, and by a table of hindsql's own rules with sources
// and examples. The detector of gitleaks scans whole files and repositories, and needs
// some sixty modules. So this package itself checks the few conditions of a rule: a
// keyword, a pattern, entropy, allowed words.
//
// The package searches the text as it stands, then without characters that split
// secrets (fold.go), and in base64 of texts (encodings.go). It stores and writes no text.
package redact

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/zricethezav/gitleaks/v8/config"
)

// Redactor replaces and counts secrets. Several goroutines may use it at once.
type Redactor struct {
	rules  []*rule // a rule that locates secrets once for each of its keywords
	words  *words  // the rules' keywords; a word's number is its rule's
	seen   [2]seen // texts without secrets: plain texts, and JSON
	mutex  sync.Mutex
	counts map[string]int64
}

// New reads the rules, which takes some milliseconds. Patterns are compiled at their
// first use.
func New() *Redactor {
	var rules []*rule
	for _, r := range readRules() {
		rules = append(rules, r.byName()...)
	}
	return search(rules)
}

// search returns a Redactor with rules of gitleaks and with hindsql's own.
func search(rules []*rule) *Redactor {
	for _, own := range OwnRules() {
		rules = append(rules, own.rule())
	}
	r := &Redactor{words: &words{}, counts: map[string]int64{}}
	for _, rule := range rules {
		rule.pattern = lazy(rule.Regex)
		for i, keyword := range rule.Keywords {
			if i == 0 || rule.locate != nil { // each keyword has its own windows
				r.rules = append(r.rules, rule)
			}
			r.words.add(keyword, len(r.rules)-1)
		}
	}
	return r
}

// Rules names the set of rules by digests. Another release of gitleaks with the same
// rules has the same name.
func (r *Redactor) Rules() string { return rules() }

// rules is made once, because a push names the rules in each file: 761 files took 1.3 s.
var rules = sync.OnceValue(func() string {
	own := sha256.New()
	fmt.Fprint(own, ownVersion)
	for _, o := range OwnRules() {
		own.Write([]byte(o.Name + o.Pattern))
	}
	return fmt.Sprintf("gitleaks %.6x, own %.6x", sha256.Sum256([]byte(config.DefaultConfig)), own.Sum(nil))
})

// Redact returns the text with its secrets replaced. If isJSON is true, the text is a
// JSON value, and only its strings change.
func (r *Redactor) Redact(text string, isJSON bool) string {
	if isJSON {
		return r.unlessSeen(&r.seen[1], text, r.json)
	}
	return r.unlessSeen(&r.seen[0], text, func(text string) string { return r.replace(text, r.find(text)) })
}

func (r *Redactor) unlessSeen(s *seen, text string, redacted func(string) string) string {
	if s.has(text) {
		return text
	}
	clean := redacted(text)
	if clean == text {
		s.add(text)
	}
	return clean
}

// Counts returns how many secrets each rule has found, by the rule's name.
func (r *Redactor) Counts() map[string]int64 {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return maps.Clone(r.counts)
}

// finding is a secret's position in a text.
type finding struct {
	rule       *rule
	start, end int
}

// replace writes a mark in place of each finding.
func (r *Redactor) replace(text string, found []finding) string {
	if len(found) == 0 {
		return text
	}
	var b strings.Builder
	done := 0
	for _, f := range found {
		b.WriteString(text[done:f.start])
		b.WriteString("[redacted:" + f.rule.ID + "]")
		done = f.end
	}
	b.WriteString(text[done:])
	r.mutex.Lock()
	defer r.mutex.Unlock()
	for _, f := range found {
		r.counts[f.rule.ID]++
	}
	return b.String()
}

// find returns the findings of all rules, in order and without overlaps.
func (r *Redactor) find(text string) []finding {
	found := r.plain(nil, text)
	found = r.folded(found, text)
	found = r.encoded(found, text)
	slices.SortFunc(found, func(a, b finding) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.rule.ID, b.rule.ID))
	})
	var apart []finding
	for _, f := range found {
		last := len(apart) - 1
		if last < 0 || apart[last].end <= f.start {
			apart = append(apart, f)
			continue
		}
		// If two rules find the same secret, the more specific rule names the secret.
		if f.rule.rank < apart[last].rule.rank {
			apart[last].rule = f.rule
		}
		apart[last].end = max(apart[last].end, f.end)
	}
	return apart
}

// plain adds the rules' findings in the unchanged text.
func (r *Redactor) plain(found []finding, text string) []finding {
	for number, windows := range r.windows(text) {
		switch rule := r.rules[number]; {
		case rule.locate != nil:
			found = rule.located(found, text, windows)
		case rule.named:
			found = rule.assigned(found, text, windows)
		default:
			for _, w := range windows {
				found = rule.find(found, text, w)
			}
		}
	}
	return found
}

// windows returns the parts of the text for each rule to search. Most rules search the
// whole text if the text contains one of their keywords.
func (r *Redactor) windows(text string) map[int][]span {
	all := map[int][]span{}
	for number, at := range r.words.in(text) {
		rule, had := r.rules[number], all[number]
		last, next := len(had)-1, at
		switch {
		case last >= 0 && at.end+lookAhead <= had[last].end, rule.likely != nil && !rule.likely(text[at.end:]):
			continue // the last window reaches as far, or there is no secret
		case rule.locate != nil, rule.named:
			last = -1 // each place stays apart
		case rule.likely != nil:
			next = span{max(0, at.start-lookBehind), at.end + ahead(text[at.end:])}
		case had != nil:
			continue
		case rule.also != nil && !rule.also.any(text):
			next = span{} // nothing to search, and nothing to look for again
		default:
			next = span{0, len(text)}
		}
		if last >= 0 && next.start <= had[last].end {
			had[last].end = max(had[last].end, next.end)
			continue
		}
		all[number] = append(had, next)
	}
	return all
}

// seen remembers texts without secrets. Logs say the same again and again: ids and
// names stand in each row, and a file's text in each answer of a tool. seen keeps the
// texts themselves, because a secret must never take the place of another text.
type seen struct {
	mutex  sync.Mutex
	now    map[string]struct{}
	before map[string]struct{} // filled before now; forgotten when now is full
	bytes  int                 // of the texts in now
}

const (
	seenBytes   = 4 << 20 // in each of the two maps
	seenLongest = seenBytes / 16
	seenEntry   = 48 // bytes of an entry besides its text
)

// has reports whether a text without secrets was added, and still is remembered.
func (s *seen) has(text string) bool {
	if len(text) > seenLongest {
		return false
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if _, ok := s.now[text]; ok {
		return true
	}
	if _, ok := s.before[text]; !ok {
		return false
	}
	s.keep(text)
	return true
}

// add remembers a copy of a text, which may be a part of a much longer one.
func (s *seen) add(text string) {
	if len(text) > seenLongest {
		return
	}
	text = strings.Clone(text)
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.keep(text)
}

func (s *seen) keep(text string) {
	if s.bytes += len(text) + seenEntry; s.now == nil || s.bytes > seenBytes {
		s.now, s.before, s.bytes = map[string]struct{}{}, s.now, len(text)+seenEntry
	}
	s.now[text] = struct{}{}
}

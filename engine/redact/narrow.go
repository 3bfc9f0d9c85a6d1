package redact

import (
	"regexp"
	"slices"
	"strings"
)

// window is a part of a text for a rule to search.
type window struct{ start, end int }

// likely returns a quick check of the text after a keyword. The rule's pattern is tried
// only around keywords that pass the check. The check serves rules whose keywords are
// common words or parts of words, because patterns take a hundred times as long.
// Matches of such rules contain the keyword, begin at most lookBehind before the
// keyword, and end with a run of characters that aren't spaces.
func likely(r *rule) func(rest string) bool {
	switch r.ID {
	case "1password-secret-key", "jwt", "vault-service-token", "octopus-deploy-api-key", "twilio-api-key", "harness-api-key":
		return func(rest string) bool { return run(rest, isToken, 20) == 20 }
	case "authress-service-client-access-key":
		return func(rest string) bool {
			n := run(rest, isAlnum, 31)
			return n >= 5 && n < len(rest) && rest[n] == '.'
		}
	case "lob-api-key", "lob-pub-api-key":
		return func(rest string) bool { return run(rest, isHex, 20) == 20 }
	}
	switch {
	case r.ID == "generic-api-key" || r.namesSecret(strings.HasSuffix):
		value := r.afterName()
		return func(rest string) bool { return isAssigned(rest) && value().MatchString(rest[:ahead(rest)]) }
	case r.namesSecret(strings.Contains):
		return isAssigned
	}
	return nil
}

// namesSecret reports whether the pattern has the most common form: a name that ends or
// begins in certain words, a sign, and the secret. Each of these words has to contain a
// keyword, or to end in one.
func (r *rule) namesSecret(has func(name, keyword string) bool) bool {
	rest, ok := strings.CutPrefix(r.Regex, beforeNames)
	names, _, ok2 := strings.Cut(rest, afterNames)
	if !ok || !ok2 {
		return false
	}
	for name := range strings.SplitSeq(strings.ToLower(names), "|") {
		if !slices.ContainsFunc(r.Keywords, func(k string) bool { return has(name, k) }) {
			return false
		}
	}
	return true
}

// beforeNames and afterNames are the parts of the most common pattern around the names.
const (
	beforeNames = `(?i)[\w.-]{0,50}?(?:`
	afterNames  = `)(?:[ \t\w.-]{0,20})`
)

// afterName returns the part of the pattern behind the name, for the text directly
// behind a keyword. If this part doesn't match, the keyword is no name in a match of the
// whole pattern, which tries up to fifty beginnings at each position of a window.
func (r *rule) afterName() func() *regexp.Regexp {
	at := strings.Index(r.Regex, afterNames)
	return lazy(`^(?i:` + r.Regex[at+1:] + `)`)
}

const (
	lookBehind = 64
	lookAhead  = 128 // and on to the next space
)

// around returns the window of a keyword.
func around(text string, start, end int) window {
	return window{max(0, start-lookBehind), end + ahead(text[end:])}
}

// reaches reports whether the last window ends behind the window of the keyword that
// ends at a position. Both reach to the next space behind lookAhead bytes.
func reaches(had []window, end int) bool {
	last := len(had) - 1
	return last >= 0 && end+lookAhead <= had[last].end
}

// ahead returns the length of the window behind a keyword.
func ahead(rest string) int {
	n := min(len(rest), lookAhead)
	for n < len(rest) && !isSpace(rest[n-1]) {
		n++
	}
	return n
}

// isAssigned reports whether the text has a little space or the rest of a name, a sign
// such as = or :, optional quotes, and then a word like a token.
func isAssigned(rest string) bool {
	i := run(rest, func(c byte) bool {
		return isToken(c) && c != '=' && c != '/' && c != '+' || isSpace(c) || c == '\'' || c == '"'
	}, 24)
	sign := run(rest[i:], func(c byte) bool { return strings.IndexByte("=>:|?,", c) >= 0 }, 5)
	i += sign
	i += run(rest[i:], func(c byte) bool { return isSpace(c) || strings.IndexByte("`'\"=", c) >= 0 }, 5)
	return sign > 0 && run(rest[i:], isToken, 8) == 8
}

// run returns how many bytes at the beginning are of a kind, up to most.
func run(text string, kind func(byte) bool, most int) int {
	n := 0
	for n < len(text) && n < most && kind(text[n]) {
		n++
	}
	return n
}

// isToken reports whether keys and tokens may contain the byte.
func isToken(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || strings.IndexByte("_.-=/+~\\", c) >= 0
}

// hashed matches the text before a file's digest.
var hashed = lazy(`(?i)(?:\bh1:|sha\d+[-:=]|(?:_|\b)(?:id|ids|uuid|name|type|hash|digest|sha|version|size|length|index|count|path|file|url|date|time|checksum|integrity|(?:cache|sort|partition|primary|foreign|routing|dedup|idempotency|lookup|page|continuation)[_.-]?(?:key|token))["'\x60]?\s{0,3}[:=]+\s{0,3}["'\x60]?)$`)

// isOrdinary reports whether a finding of gitleaks' generic rule for keys is no secret.
func isOrdinary(text string, start, end int) bool {
	secret := text[start:end]
	return number().MatchString(strings.TrimPrefix(secret, "-")) || hashed().MatchString(text[max(0, start-40):start]) || holders().any(secret) || isPlace(secret)
}

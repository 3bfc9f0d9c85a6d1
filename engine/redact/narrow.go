package redact

import (
	"slices"
	"strings"
)

// window is a part of a text that a rule searches.
type window struct{ start, end int }

// likely gives the quick look at what follows a keyword that says whether the
// rule's pattern is worth trying there, and only there. It is for rules whose
// keywords are common words or parts of them: patterns take a hundred times as
// long as the look. Their matches hold the keyword, begin at most lookBehind
// before it, and end with a run of characters that are no space.
func likely(r *rule) func(rest string) bool {
	switch r.ID {
	case "generic-api-key":
		return isAssigned
	case "1password-secret-key", "jwt", "vault-service-token", "authress-service-client-access-key", "octopus-deploy-api-key", "twilio-api-key", "harness-api-key":
		return func(rest string) bool { return run(rest, isToken, 20) == 20 }
	case "lob-api-key", "lob-pub-api-key":
		return func(rest string) bool { return run(rest, isHex, 20) == 20 }
	}
	if r.namesSecret() {
		return isAssigned
	}
	return nil
}

// namesSecret: most patterns are made alike, of a name that ends or begins in
// one of some words, a sign and the secret; and most often the words are the
// keywords.
func (r *rule) namesSecret() bool {
	_, rest, ok := strings.Cut(r.Regex, `[\w.-]{0,50}?(?:`)
	names, _, ok2 := strings.Cut(rest, `)(?:[ \t\w.-]{0,20})`)
	if !ok || !ok2 || !strings.HasPrefix(r.Regex, `(?i)[\w.-]{0,50}?(?:`) {
		return false
	}
	for name := range strings.SplitSeq(strings.ToLower(names), "|") {
		if !slices.ContainsFunc(r.Keywords, func(k string) bool { return strings.Contains(name, k) }) {
			return false
		}
	}
	return true
}

const (
	lookBehind = 64
	lookAhead  = 128 // and on to the next space
)

// around is the window of a keyword.
func around(text string, start, end int) window {
	w := window{max(0, start-lookBehind), min(len(text), end+lookAhead)}
	for w.end < len(text) && !isSpace(text[w.end-1]) {
		w.end++
	}
	return w
}

// isAssigned: a little space or a longer name, a sign such as = or :, quotes
// perhaps, and something that is no sentence.
func isAssigned(rest string) bool {
	i := run(rest, func(c byte) bool {
		return isToken(c) && c != '=' && c != '/' && c != '+' || isSpace(c) || c == '\'' || c == '"'
	}, 24)
	sign := run(rest[i:], func(c byte) bool { return strings.IndexByte("=>:|?,", c) >= 0 }, 5)
	i += sign
	i += run(rest[i:], func(c byte) bool { return isSpace(c) || strings.IndexByte("`'\"=", c) >= 0 }, 5)
	return sign > 0 && run(rest[i:], isToken, 8) == 8
}

// run is how many bytes the text begins with that are of a kind, most at most.
func run(text string, kind func(byte) bool, most int) int {
	n := 0
	for n < len(text) && n < most && kind(text[n]) {
		n++
	}
	return n
}

// isToken: the bytes that keys and tokens are made of.
func isToken(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || strings.IndexByte("_.-=/+~\\", c) >= 0
}

// hashed matches what stands before the digest of a file.
var hashed = lazy(`(?i)(?:\bh1:|sha\d+[-:=]|(?:_|\b)(?:id|ids|uuid|name|type|hash|digest|sha|version|size|length|index|count|path|file|url|date|time|checksum|integrity|(?:cache|sort|partition|primary|foreign|routing|dedup|idempotency|lookup|page|continuation)[_.-]?(?:key|token))["'\x60]?\s{0,3}[:=]+\s{0,3}["'\x60]?)$`)

// isOrdinary says that what gitleaks' rule for all kinds of keys found is none.
func isOrdinary(text string, start, end int) bool {
	secret := text[start:end]
	return number().MatchString(strings.TrimPrefix(secret, "-")) || hashed().MatchString(text[max(0, start-40):start]) || holders().any(secret) || isPlace(secret)
}

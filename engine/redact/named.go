package redact

import (
	"slices"
	"strings"
)

// The most common patterns of gitleaks have a name with up to fifty bytes before it, a
// sign such as =, and the secret. For the fifty possible beginnings the regular
// expression engine takes microseconds a byte. So these patterns are tried from the name
// on, at the keywords.
const (
	beforeName  = `[\w.-]{0,50}?`
	afterSecret = `(?:[\x60'"\s;]|\\[nr]|$)`
)

// namesIn has the names in patterns whose keywords stand in the secret.
var namesIn = map[string][]string{
	"lob-api-key": {"lob"}, "lob-pub-api-key": {"lob"}, "typeform-api-token": {"typeform"},
	"new-relic-browser-api-token": newRelic, "new-relic-insert-key": newRelic, "new-relic-user-api-key": newRelic,
}

var newRelic = []string{"new-relic", "newrelic", "new_relic"}

// byName returns the rules to search for in place of a rule of gitleaks: the rule
// itself, or if its pattern has a name, a rule that tries the pattern at its keywords,
// and a rule for an alternative without a name.
func (r *rule) byName() []*rule {
	flags, rest, ok := strings.Cut(r.Regex, beforeName)
	if !ok || flags != "" && flags != "(?i)" {
		return []*rule{r}
	}
	rest = flags + strings.Replace(rest, beforeName, "", 1)
	named := &rule{ID: r.ID, Regex: `^` + rest, Entropy: r.Entropy, SecretGroup: r.SecretGroup, Keywords: r.Keywords, Allowlists: r.Allowlists, everywhere: r.everywhere, named: true, likely: isAssigned, rank: r.rank}
	if r.ID == "generic-api-key" {
		named.likely = isGeneric
	}
	if names := namesIn[r.ID]; names != nil {
		named.Keywords = names
	}
	i := strings.Index(rest, afterSecret+"|")
	if i < 0 {
		return []*rule{named}
	}
	i += len(afterSecret)
	named.Regex, r.Regex = `^`+rest[:i], flags+rest[i+1:]
	r.Keywords = slices.DeleteFunc(slices.Clone(r.Keywords), func(k string) bool { return !strings.Contains(strings.ToLower(r.Regex), k) })
	return []*rule{named, r}
}

// assigned adds the secrets behind the names at the keywords.
func (r *rule) assigned(found []finding, text string, keywords []span) []finding {
	done := 0
	for _, k := range keywords {
		if k.start < done {
			continue // in the match before
		}
		at := r.pattern().FindStringSubmatchIndex(text[k.start : k.start+reach(text[k.start:])])
		if at == nil {
			continue
		}
		at[0] -= runBack(text[done:k.start], isNameByte, 50)
		found = r.add(found, text, k.start, at)
		done = k.start + at[1]
	}
	return found
}

// reach returns how far a match from a name on may reach: the longest of limited
// length, or an unlimited secret and what follows the secret.
func reach(rest string) int {
	n := min(len(rest), 256)
	return min(len(rest), n+run(rest[n:], func(c byte) bool { return isCode[c] }, len(rest))+100)
}

// isAssigned reports whether the text has a little space or the rest of a name, a sign
// such as = or :, optional quotes, and then a word like a token.
func isAssigned(rest string) bool {
	_, ok := assignedAt(rest)
	return ok
}

// isGeneric reports whether the value of an assignment may be one of gitleaks' generic
// rule: at most 150 bytes, or letters, digits, + and /, and then a quote, space or ;.
func isGeneric(rest string) bool {
	at, ok := assignedAt(rest)
	if !ok {
		return false
	}
	rest = rest[at:]
	n := run(rest, func(c byte) bool { return isCode[c] || c == '.' || c == '=' }, 160)
	if n == 160 {
		plain := run(rest, func(c byte) bool { return isAlnum(c) || c == '+' || c == '/' }, len(rest))
		n = plain + run(rest[plain:], func(c byte) bool { return c == '=' }, 3)
	}
	return n == len(rest) || isSpace(rest[n]) || strings.IndexByte("`'\";\\\f", rest[n]) >= 0
}

// assignedAt returns where the value of an assignment begins, see isAssigned.
func assignedAt(rest string) (at int, ok bool) {
	i := run(rest, func(c byte) bool {
		return isToken(c) && c != '=' && c != '/' && c != '+' || isSpace(c) || c == '\'' || c == '"'
	}, 40)
	sign := run(rest[i:], func(c byte) bool { return strings.IndexByte("=>:|?,", c) >= 0 }, 5)
	i += sign
	i += run(rest[i:], func(c byte) bool { return isSpace(c) || strings.IndexByte("`'\"=", c) >= 0 }, 5)
	return i, sign > 0 && run(rest[i:], isToken, 8) == 8
}

// likely has quick checks of the text after a keyword, by the rule. A rule's pattern,
// which takes a hundred times as long, is tried only around keywords that pass the check.
// Matches of such rules contain the keyword, begin at most lookBehind before the
// keyword, and end with a run of characters that aren't spaces.
var likely = map[string]func(rest string) bool{
	"1password-secret-key": token20, "jwt": token20, "vault-service-token": token20, "octopus-deploy-api-key": token20, "twilio-api-key": token20, "harness-api-key": token20,
	"authress-service-client-access-key": func(rest string) bool {
		n := run(rest, isAlnum, 31)
		return n >= 5 && n < len(rest) && rest[n] == '.'
	},
}

var token20 = atLeast(20, isToken)

const (
	lookBehind = 64
	lookAhead  = 128 // and on to the next space
)

// ahead returns the length of the window behind a keyword.
func ahead(rest string) int {
	n := min(len(rest), lookAhead)
	for n < len(rest) && !isSpace(rest[n-1]) {
		n++
	}
	examine(nil, rest[:n])
	return n
}

// run returns how many bytes at the beginning are of a kind, up to most.
func run(text string, kind func(byte) bool, most int) (n int) {
	for n < len(text) && n < most && kind(text[n]) {
		n++
	}
	return n
}

// runBack returns how many bytes at the end are of a kind, up to most.
func runBack(text string, kind func(byte) bool, most int) (n int) {
	for n < len(text) && n < most && kind(text[len(text)-1-n]) {
		n++
	}
	return n
}

// isToken reports whether keys and tokens may contain the byte.
func isToken(c byte) bool { return isAlnum(c) || strings.IndexByte("_.-=/+~\\", c) >= 0 }

// hashed matches the text before a file's digest.
var hashed = lazy(`(?i)(?:\bh1:|sha\d+[-:=]|(?:_|\b)(?:id|ids|uuid|name|type|hash|digest|sha|version|size|length|index|count|path|file|url|date|time|checksum|integrity|(?:cache|sort|partition|primary|foreign|routing|dedup|idempotency|lookup|page|continuation)[_.-]?(?:key|token))["'\x60]?\s{0,3}[:=]+\s{0,3}["'\x60]?)$`)

// isOrdinary reports whether a finding of gitleaks' generic rule for keys is no secret.
func isOrdinary(text string, start int, secret string) bool {
	return number().MatchString(strings.TrimPrefix(secret, "-")) || hashed().MatchString(text[max(0, start-40):start]) || holders().any(secret) || isPlace(secret)
}

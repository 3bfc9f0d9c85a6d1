package redact

import "strings"

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
func isToken(c byte) bool {
	return isAlnum(c) || strings.IndexByte("_.-=/+~\\", c) >= 0
}

// hashed matches the text before a file's digest.
var hashed = lazy(`(?i)(?:\bh1:|sha\d+[-:=]|(?:_|\b)(?:id|ids|uuid|name|type|hash|digest|sha|version|size|length|index|count|path|file|url|date|time|checksum|integrity|(?:cache|sort|partition|primary|foreign|routing|dedup|idempotency|lookup|page|continuation)[_.-]?(?:key|token))["'\x60]?\s{0,3}[:=]+\s{0,3}["'\x60]?)$`)

// isOrdinary reports whether a finding of gitleaks' generic rule for keys is no secret.
func isOrdinary(text string, start int, secret string) bool {
	return number().MatchString(strings.TrimPrefix(secret, "-")) || hashed().MatchString(text[max(0, start-40):start]) || holders().any(secret) || isPlace(secret)
}

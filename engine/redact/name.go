package redact

import (
	"slices"
	"strings"
)

// kind is the kind of value that a name announces.
type kind int

const (
	other    kind = iota
	password      // the value may be a word
	token         // the value looks random
)

// Endings of names, in lower case and without signs.
var (
	passwordNames = []string{"password", "passwd", "passphrase", "pwd", "passwort", "motdepasse", "wachtwoord", "requirepass", "masterauth", "storepass", "keypass", "psk"}
	tokenNames    = []string{"token", "secret", "credential", "credentials", "creds", "authorization", "bearer", "jwt", "dsn", "secretstring", "secretvalue", "secretkeybase", "connectionstring", "accesskeyid"}
	// Words before "key" in secret names, and in other names.
	keyNames = []string{
		"api", "secret", "access", "private", "auth", "account", "signing", "encryption", "master", "shared", "sharedaccess", "service", "servicerole",
		"deploy", "license", "admin", "app", "application", "client", "consumer", "storage", "subscription", "functions", "webhook", "integration",
		"hmac", "aes", "jwt", "ingest", "write", "session", "security", "user", "rapidapi",
	}
	openNames = []string{"public", "pub", "primary", "foreign", "cache", "sort", "partition", "idempotency", "page", "continuation", "cancel", "cancellation", "dedup", "routing", "object", "bucket", "lookup", "registry", "publishable"}
	// Words that may follow the decisive part of a name.
	stages = []string{"dev", "prod", "production", "staging", "test", "live", "value", "old", "new", "b64", "base64"}
)

// kindOf returns a name's kind, by the name's ending.
func kindOf(name string) kind {
	name = name[max(0, len(name)-longestName):]
	var buffer [longestName]byte
	low := buffer[:0]
	for i := range len(name) {
		if c := name[i]; c != '_' && c != '-' && c != '.' {
			low = append(low, lower(c))
		}
	}
	plain := strings.TrimRight(string(low), "0123456789")
	for _, s := range stages {
		if rest := strings.TrimSuffix(plain, s); rest != plain && rest != "" {
			plain = rest
			break
		}
	}
	if endsIn(plain, passwordNames) {
		return password
	}
	key, isKey := strings.CutSuffix(plain, "key")
	about := key
	if !isKey {
		about = strings.TrimSuffix(plain, "token")
	}
	switch {
	case !isKey && !endsIn(plain, tokenNames):
		return shortKind(name)
	case strings.Contains(plain, "public") || endsIn(about, openNames):
		return other
	case !isKey || endsIn(key, keyNames) || strings.HasSuffix(name, "_KEY") && isUpper(name):
		return token
	}
	return other
}

// shortKind returns the kind of names with a very short ending, such as pw or pat.
// Other words have the same endings.
func shortKind(name string) kind {
	last := name[strings.LastIndexAny(name, "_-.")+1:]
	isWord := func(words ...string) bool {
		return (last != name || len(last) <= 4) && slices.Contains(words, strings.ToLower(last))
	}
	switch {
	case isWord("pass", "pw"), strings.HasSuffix(name, "Pass"), name == "PGPASS":
		return password
	case isWord("pat", "auth", "tok"), strings.HasSuffix(name, "Pat"), strings.HasSuffix(name, "PAT") && !isUpper(name):
		return token
	}
	return other
}

func endsIn(s string, ends []string) bool {
	return slices.ContainsFunc(ends, func(end string) bool { return strings.HasSuffix(s, end) })
}

// isUpper reports whether a name is written like an environment variable.
func isUpper(name string) bool {
	kind := func(c byte) bool { return 'A' <= c && c <= 'Z' || isDigit(c) || c == '_' }
	return name != "" && run(name, kind, len(name)) == len(name)
}

package redact

import (
	"slices"
	"strings"
)

// assignment is a name, a sign such as = or :, and a value. Programs, shells, headers
// and configuration files contain assignments.
type assignment struct {
	name       string
	flag       bool // --name value
	sign       string
	quoted     bool
	start, end int  // of the value
	alone      bool // the line ends after the value
}

// mostAligned is how many spaces may align the values below each other.
const longestName, longestValue, mostAligned = 64, 4096, 40

func isNameByte(c byte) bool { return isAlnum(c) || c == '_' || c == '-' || c == '.' }

// assigned reads the assignment whose name contains the keyword at [start,end).
func assigned(text string, start, end int) (a assignment, ok bool) {
	for end > start && !isNameByte(text[end-1]) { // keywords for short names include their sign
		end--
	}
	start -= runBack(text[:start], isNameByte, longestName)
	end += run(text[end:], isNameByte, longestName)
	if start > 0 && text[start-1] == '\\' && start+1 < end && strings.IndexByte("nrt", text[start]) >= 0 {
		start++ // the escape of a line break
	}
	a.name = text[start:end]
	dashes := len(a.name) - len(strings.TrimLeft(a.name, "-"))
	if a.flag = dashes > 0 && dashes <= 2 && (start == 0 || !isNameByte(text[start-1])); a.flag {
		a.name = a.name[dashes:]
	}
	if strings.EqualFold(a.name, "key") {
		a.name = wordBefore(text, start) + a.name
	}
	at, ok := signAfter(text, start, end, &a)
	if !ok {
		return a, false
	}
	if a.sign == " " && setter().MatchString(text[max(0, start-40):start]) {
		a.sign = "="
	}
	a.value(text, at)
	return a, a.start < a.end
}

// setter matches what sets the variable named next: ENV of a Dockerfile, setx of Windows,
// set -x of fish.
var setter = lazy(`(?:^|\W)(?:(?i:env)|setx|setenv|set(?: -{1,2}[\w-]+)+)\s+$`)

// wordBefore returns the word before a name and a space, as in "api key", or an empty
// text.
func wordBefore(text string, start int) string {
	if start == 0 || text[start-1] != ' ' {
		return ""
	}
	text = text[:start-1]
	return text[len(text)-runBack(text, isNameByte, 11):]
}

func skip(text string, at int, set string, most int) int {
	return at + run(text[at:], func(c byte) bool { return strings.IndexByte(set, c) >= 0 }, most)
}

// signAfter finds the sign after a name, and returns the earliest position of the
// value.
func signAfter(text string, start, end int, a *assignment) (at int, ok bool) {
	if a.flag {
		if next := skip(text, end, " \t", 3); next > end {
			a.sign = " "
			return next, true
		}
		if next := skip(text, end, "\\\"', \n", 8); next > end+2 && strings.Contains(text[end:next], ",") {
			a.sign, a.quoted = ",", true // in a list of arguments
			return next - 1, true
		}
	}
	at = skip(text, end, "\\\"'`*", 4)
	if at > end {
		at = skip(text, at, "])", 2)
	}
	at = skip(text, at, " \t", mostAligned)
	from := at
	at = skip(text, at, "=:?>|", 3)
	a.sign = text[from:at]
	if strings.HasPrefix(text[at:], "│ ") {
		a.sign, at = "|", at+len("│")
	}
	switch {
	case a.sign == "|" && from > end && strings.HasPrefix(text[at:], " "): // in a table
		return skip(text, at, " \t", mostAligned), true
	case a.sign == ">":
		return at, start > 0 && text[start-1] == '<' && from == end // an XML element
	case a.sign == "|" || a.sign == "||" || a.sign == "?" || a.sign == "::":
		return at, false
	case a.sign != "":
		if strings.HasPrefix(text[at:], "** ") { // of Markdown
			at += len("** ")
		}
		at = skip(text, at, " \t", mostAligned)
		return at + len(yamlBlock().FindString(text[at:min(len(text), at+48)])), true
	}
	for _, verb := range []string{"is ", "is: ", "was ", "to be "} {
		if from > end && strings.HasPrefix(text[from:], verb) {
			a.sign = "is"
			return from + len(verb), true
		}
	}
	at = skip(text, end, "\\\"',nrt \n", 24)
	beside := text[at:min(len(text), at+16)]
	if at > end && begins(beside, "value") && besideValue().MatchString(beside) {
		a.sign = ":"
		return at + len(besideValue().FindString(beside)), true
	}
	a.sign = " " // as in setx API_KEY …
	return from, from > end
}

// yamlBlock matches the sign of a YAML block, whose value begins on the next line.
var yamlBlock = lazy(`^[|>][+-]?\n[\n ]{0,39}`)

// besideValue matches the text before the value if the name is itself a value, as in
// {"name": "DB_PASSWORD", "value": "…"}.
var besideValue = lazy(`^(?i:value)[\\"' ]{0,4}[:=][ \t]{0,4}`)

// value finds the end of the value at a position: the closing quote of a quoted value,
// or otherwise the next space or quote.
func (a *assignment) value(text string, at int) {
	escapes := skip(text, at, `\`, 8)
	if escapes < len(text)-1 && strings.IndexByte("bfrRuB@", text[escapes]) >= 0 && (text[escapes+1] == '"' || text[escapes+1] == '\'') {
		escapes++
	}
	if escapes < len(text) && strings.IndexByte("\"'`", text[escapes]) >= 0 {
		quote := text[escapes]
		a.start, a.quoted = escapes+1, true
		a.end = a.start + run(text[a.start:], func(c byte) bool { return c != quote && c != '\n' }, longestValue)
		for escapes > at && a.end > a.start && text[a.end-1] == '\\' {
			a.end--
		}
		a.alone = true
		return
	}
	a.start = at
	a.end = at + run(text[at:], func(c byte) bool { return c > ' ' && strings.IndexByte("\"'`", c) < 0 }, longestValue)
	examine(nil, text[a.start:a.end])
	a.trim(text)
}

// trim cuts off punctuation and text directly after an unquoted value.
func (a *assignment) trim(text string) {
	value := text[a.start:a.end]
	stops := []string{"</", `\n`, `\r`, `\t`, `\\`, ";", "|"}
	if a.sign == ">" {
		stops = stops[:1]
	}
	for _, stop := range stops {
		if i := strings.Index(value, stop); i > 0 {
			value = value[:i]
		}
	}
	if next := nextParameter().FindStringSubmatchIndex(value); next != nil && next[0] > 0 {
		value = value[:next[0]]
	}
	value = strings.TrimRight(value, `,;:)]}>\`)
	a.end = a.start + len(value)
	rest := strings.TrimLeft(text[a.end:min(len(text), a.end+8)], ",;)]}>\" \t'`\\")
	a.alone = rest == "" || rest[0] == '\n' || rest[0] == '\r' || rest[0] == '#' || rest[0] == '<' || rest[0] == 'n' && text[a.end] == '\\'
}

// nextParameter matches the beginning of a URL's next parameter.
var nextParameter = lazy(`&(?:amp;)?[\w.%-]+=`)

// isSecret reports whether the value is secret, depending on the name.
func (a *assignment) isSecret(text string) bool {
	s := text[a.start:a.end]
	if a.sign == " " && !a.flag {
		return kindOf(a.name) != other && isRandom(s, 16) && shapeOf(s).notHex > 0 && !strings.ContainsAny(s, "()[]{}.")
	}
	switch kindOf(a.name) {
	case password:
		return a.isPassword(text, s)
	case token:
		if strings.ContainsAny(s, "()[]{}") && !(a.quoted && len(s) >= 16 && isDrawn(s, quoted)) || len(s) <= 20 && number().MatchString(s) {
			return false
		}
		return isRandom(s, 12) || len(s) == 36 && isUpper(a.name) && uuid().MatchString(s)
	}
	return false
}

func (a *assignment) isPassword(text, s string) bool {
	isEnv := isUpper(a.name) && a.sign == "="
	end := text[a.end:min(len(text), a.end+2)]
	isLine := a.sign == ":" && text[a.start-1] != ':' && (end == "" || end[0] == '\n' || end == "\r\n" || end == `\n`) // of YAML
	// Shells put a variable in place of its name, in double quotes, too.
	inShell := !isLine && (!a.quoted || text[a.start-1] == '"' && text[a.start-2] == '=')
	switch {
	case (a.quoted || isLine) && !(inShell && s[0] == '$') && isDrawn(s, quoted):
		return true
	case a.sign == "|" && !a.quoted: // in a table, or before a command
		return isDrawn(s, bare) || isRandom(s, 10)
	case a.sign == ":" && (a.name == "PASS" || a.name == "Pass"): // in the output of a test
		return false
	case a.quoted || isEnv || a.flag:
		return isPassword(s, true)
	case a.sign == ":" && (!a.alone || text[a.start-1] == ':'): // in a sentence, in code, or in a list such as name:password:group
		n := shapeOf(s)
		return n.digits > 0 && n.letters > 0 && !strings.ContainsAny(s, ":/") && !plainName().MatchString(s) && isPassword(s, false)
	case a.sign == "==" || a.sign == "===" || !a.alone && a.sign != "=":
		return false
	}
	return isPassword(s, a.alone)
}

// findAssigned returns the value assigned to a name that marks a secret.
func findAssigned(text string, start, end int) (list []span) {
	a, ok := assigned(text, start, end)
	if !ok {
		return nil
	}
	for _, scheme := range []string{"Bearer ", "bearer ", "Basic ", "basic ", "Token ", "token "} {
		if a.quoted && strings.HasPrefix(text[a.start:a.end], scheme) {
			a.start += len(scheme)
		}
	}
	if a.isSecret(text) {
		list = append(list, span{a.start, a.end})
	}
	return list
}

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

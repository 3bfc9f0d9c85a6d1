package redact

import (
	"strconv"
	"strings"
)

// A private key in PEM has a first line, a body and an end. The lines may stand in a
// diff, be numbered or quoted, or end in escapes.
var (
	pemHead = lazy(`^-----BEGIN[ A-Z0-9_-]{0,100}PRIVATE KEY(?: BLOCK)?-----`)
	pemBody = lazy(`^(?:(?:\\+[nrt]|[\s"'+,>|\\-]|\d+[→:|\t]){1,40}(?:(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset): [^\n\\]{1,100}|[A-Za-z0-9+/=]{20,}|[A-Za-z0-9+/]{1,76}={0,3}(?:[\\\s"'-]|$)))`)
	pemTail = lazy(`^(?:\\+[nrt]|[\s"'+,>|\\]|\d+[→:|\t]){0,40}-?-----END[ A-Z0-9_-]{0,100}KEY(?: BLOCK)?-----`)
	pemLine = lazy(`[A-Za-z0-9+/=]{20,}`)
)

// pemLongest is the length of a line with its surroundings. If a key stands on one
// line, its base64 is longer.
const pemLongest = 256

func isPEM(c byte) bool { return isAlnum(c) || c == '+' || c == '/' || c == '=' }

func findPEM(text string, start, _ int) []span {
	head := pemHead().FindString(text[start:min(len(text), start+160)])
	if head == "" {
		return nil
	}
	at := start + len(head)
	body, to := at, len(text)
	if next := strings.Index(text[at:], "-----BEGIN"); next >= 0 {
		to = at + next // a byte belongs to one key
	}
	for {
		rest := text[at:min(to, at+pemLongest)]
		if tail := pemTail().FindString(rest); tail != "" {
			if pemLine().MatchString(text[body:at]) {
				return []span{{start, at + len(tail)}}
			}
			return nil
		}
		next := pemBody().FindString(rest)
		if next == "" {
			break
		}
		at += len(strings.TrimRight(next, "\\\n\" '-"))
		if len(next) == pemLongest {
			at += run(text[at:to], isPEM, to)
		}
	}
	if !pemLine().MatchString(text[body:at]) {
		return nil
	}
	return []span{{start, at}}
}

// A private key of PuTTY has a number of lines, the lines, and a MAC, which lets
// attackers guess the passphrase. The lines may stand in a diff, be numbered, or end in
// escapes.
var (
	ppkCount = lazy(`^\s*(\d{1,3})\b`)
	ppkLine  = lazy(`^(?:\\+[nrt]|[\s"'+,>|\\-]|\d+[→:|\t]){1,40}([A-Za-z0-9+/]{4,}={0,2})`)
	ppkMAC   = lazy(`^\s*([0-9A-Fa-f]{40,64})\b`)
)

func findPPK(text string, start, end int) []span {
	if lower(text[start+len("private-")]) == 'm' {
		if at := ppkMAC().FindStringSubmatchIndex(text[end:min(len(text), end+80)]); at != nil {
			return []span{{end + at[2], end + at[3]}}
		}
		return nil
	}
	head := ppkCount().FindStringSubmatch(text[end:min(len(text), end+8)])
	if head == nil {
		return nil
	}
	lines, _ := strconv.Atoi(head[1])
	key := span{0, end + len(head[0])}
	for range lines {
		at := ppkLine().FindStringSubmatchIndex(text[key.end:min(len(text), key.end+200)])
		if at == nil || strings.HasPrefix(text[key.end+at[2]:], "Private-") {
			break
		}
		if key.start == 0 {
			key.start = key.end + at[2]
		}
		key.end += at[3]
	}
	if key.start == 0 || !pemLine().MatchString(text[key.start:key.end]) {
		return nil
	}
	return []span{key}
}

// jwkValue matches the secret members of a JSON Web Key, named in RFC 7518.
var jwkValue = lazy(`\\*"(?:d|p|q|dp|dq|qi|k)\\*"\s*:\s*\\*"([A-Za-z0-9_-]{20,})\\*"`)

// findJWK searches the members around a key's type.
func findJWK(text string, start, end int) (list []span) {
	const far = 4096
	from, to := max(0, start-far), min(len(text), end+far)
	if i := strings.LastIndexByte(text[from:start], '{'); i >= 0 {
		from += i
	}
	if i := strings.IndexByte(text[end:to], '}'); i >= 0 {
		to = end + i
	}
	for _, at := range jwkValue().FindAllStringSubmatchIndex(text[from:to], -1) {
		if isKey(text[from+at[2] : from+at[3]]) {
			list = append(list, span{from + at[2], from + at[3]})
		}
	}
	return list
}

// Patterns for a Kubernetes Secret and its values.
var (
	secretKind  = lazy(`(?i)^\\*["']?\s*:\s*\\*["']?Secret\b`)
	secretData  = lazy(`(?i)\b(?:string)?data\\*["']?\s*:`)
	secretValue = lazy(`[\w.-]+\\*["']?\s*:\s*(?:\|-?\s+)?\\*["']?([A-Za-z0-9+/]{8,}={0,2})(?:[\s"'\\,}]|$)`)
	nextObject  = lazy(`(?m)^---|\\n---|kind\\*["']?\s*:`)
	notSecret   = lazy(`(?i)^\\*["']?(?:apiVersion|name|namespace|type|kind|uid|resourceVersion|creationTimestamp|metadata|app|manager|operation|labels|managed)`)
)

// findKubernetes finds the values of a Secret, wherever its kind stands.
func findKubernetes(text string, _, end int) (list []span) {
	if !secretKind().MatchString(text[end:min(len(text), end+40)]) {
		return nil
	}
	const far = 4096
	rest := text[end:min(len(text), end+far)]
	if next := nextObject().FindStringIndex(rest); next != nil {
		rest = rest[:next[0]]
	}
	data := secretData().FindStringIndex(rest)
	if data == nil {
		return nil
	}
	from := end + data[1]
	for _, at := range secretValue().FindAllStringSubmatchIndex(text[from:end+len(rest)], -1) {
		name, s := text[from+at[0]:from+at[1]], text[from+at[2]:from+at[3]]
		if !notSecret().MatchString(name) && len(s)%4 == 0 && !isPlaceholder(s) && shapeOf(s).kinds > 4 {
			list = append(list, span{from + at[2], from + at[3]})
		}
	}
	return list
}

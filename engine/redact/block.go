package redact

import "strings"

// A private key in PEM: its first line, what may follow, be it on lines of a
// diff, numbered, quoted, or with escapes for the ends of its lines, and its end.
var (
	pemHead = lazy(`^-----BEGIN[ A-Z0-9_-]{0,100}PRIVATE KEY(?: BLOCK)?-----`)
	pemBody = lazy(`^(?:(?:\\+[nrt]|[\s"'+,>|\\-]|\d+[→:|\t]){1,40}(?:(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset): [^\n\\]{1,100}|[A-Za-z0-9+/=]{20,}|[A-Za-z0-9+/]{1,76}={0,3}(?:[\\\s"'-]|$)))`)
	pemTail = lazy(`^(?:\\+[nrt]|[\s"'+,>|\\]|\d+[→:|\t]){0,40}-?-----END[ A-Z0-9_-]{0,100}KEY(?: BLOCK)?-----`)
	pemLine = lazy(`[A-Za-z0-9+/=]{20,}`)
)

func findPEM(text string, start, _ int) []span {
	head := pemHead().FindString(text[start:min(len(text), start+160)])
	if head == "" {
		return nil
	}
	at := start + len(head)
	body := at
	for {
		rest := text[at:min(len(text), at+8192)]
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
	}
	if !pemLine().MatchString(text[body:at]) {
		return nil
	}
	return []span{{start, at}}
}

// What a Secret of Kubernetes is told by, and its values.
var (
	secretKind  = lazy(`(?i)^\\*["']?\s*:\s*\\*["']?Secret\b`)
	secretData  = lazy(`(?i)\b(?:string)?data\\*["']?\s*:`)
	secretValue = lazy(`[\w.-]+\\*["']?\s*:\s*(?:\|-?\s+)?\\*["']?([A-Za-z0-9+/]{8,}={0,2})(?:[\s"'\\,}]|$)`)
	nextObject  = lazy(`(?m)^---|\\n---|kind\\*["']?\s*:`)
	notSecret   = lazy(`(?i)^\\*["']?(?:apiVersion|name|namespace|type|kind|uid|resourceVersion|creationTimestamp|metadata|app|manager|operation|labels|managed)`)
)

// findKubernetes finds the values of a Secret, wherever in it its kind stands.
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

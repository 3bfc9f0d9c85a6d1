package redact

import (
	"strconv"
	"strings"
)

// block reads lines of base64: private keys in PEM, private keys of PuTTY, and what
// base64 prints. The lines may end in escapes, and stand behind prefixes: quotes, signs
// of a diff or of comments, what grep, git blame and logs put before a line, a box.
type block struct {
	text, prefix string // the prefix of the first line
	at           int    // where the next line begins
	line         string
	from         int // where the line begins
	start, end   int // of the line's base64
}

const (
	longestLine   = 1 << 14 // of a key on one line
	longestPrefix = 512
)

// lineEnd returns where the first line ends, by a line end or an escape, and where the
// next line begins. A pattern takes time for all of the text, however near the end is.
func lineEnd(text string) (end, next int) {
	for {
		n := strings.IndexAny(text[end:], "\n\\")
		if n < 0 {
			return len(text), len(text)
		}
		end += n
		next = end + run(text[end:], func(c byte) bool { return c == '\\' }, len(text))
		if text[end] == '\n' || next < len(text) && (text[next] == 'n' || text[next] == 'r') {
			return end, next + 1
		}
		end = next
	}
}

// newBlock returns the block whose first line has base64 at start, to read on at end.
func newBlock(text string, start, end int) *block {
	return &block{text: text, prefix: text[lineTo(text, start):start], at: end}
}

// lineTo returns where the line begins that ends at a position.
func lineTo(text string, end int) int {
	for i := end; i > 0 && end-i < longestPrefix; i-- {
		if text[i-1] == '\n' || i > 1 && text[i-2] == '\\' && (text[i-1] == 'n' || text[i-1] == 'r') {
			return i
		}
	}
	return max(0, end-longestPrefix)
}

// next reads the next line that isn't blank, and reports whether the line has base64.
func (b *block) next() bool {
	for b.at < len(b.text) {
		b.from, b.line = b.at, b.text[b.at:min(len(b.text), b.at+longestLine)]
		end, next := lineEnd(b.line)
		b.line = examine(nil, b.line[:end])
		from, to := codeIn(b.line, b.prefix)
		b.start, b.end = b.at+from, b.at+to
		b.at += next
		if strings.Trim(b.line[behind(b.line, b.prefix):], "\"'` +,;|>*#$\\-\r\t│") != "" {
			return to > from
		}
	}
	b.line = ""
	return false
}

// isEdge reports whether a byte may stand before or behind base64 in a line.
func isEdge(c byte) bool { return c >= 0x80 || c <= ' ' || strings.IndexByte("\"'`,;>|*#$\\-", c) >= 0 }

// isPEM reports whether a byte is of base64.
func isPEM(c byte) bool { return isAlnum(c) || c == '+' || c == '/' || c == '=' }

// codeIn returns the base64 in a line behind the prefix of the block's first line; of
// no length if the line has other text, too.
func codeIn(line, prefix string) (start, end int) {
	for _, start := range []int{behind(line, prefix), min(len(line), len(prefix))} {
		start += run(line[start:], isEdge, len(line))
		end, short := start, false
		for at := start; at < len(line); {
			n := run(line[at:], isPEM, len(line))
			if n == 0 || short {
				end = start
				break
			}
			end, short = at+n, n < 16 // a line's last word of base64 may be short
			at = end + run(line[end:], isEdge, len(line))
		}
		if end > start {
			return start, end
		}
	}
	return 0, 0
}

// behind returns the length of a line's prefix, as far as the prefix is like the first
// line's: numbers and spaces differ, and grep writes - for :.
func behind(line, prefix string) (n int) {
	for len(prefix) > 0 {
		first := prefix[0]
		kind := func(c byte) bool { return c == first || first == ':' && c == '-' }
		switch {
		case isDigit(first):
			kind = isDigit
		case isSpace(first):
			kind = isSpace
		case n == len(line) || !kind(line[n]):
			return n
		}
		prefix = prefix[run(prefix, kind, len(prefix)):]
		n += run(line[n:], kind, len(line))
	}
	return n
}

// Parts of a private key in PEM.
var (
	pemHead   = lazy(`^-----BEGIN[ A-Z0-9_-]{0,100}PRIVATE KEY(?: BLOCK)?-----`)
	pemHeader = lazy(`(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset): `)
	pemTail   = lazy(`-?-----END[ A-Z0-9_-]{0,100}KEY(?: BLOCK)?-----`)
	pemLine   = lazy(`[A-Za-z0-9+/=]{20,}`)
)

func findPEM(text string, start, _ int) []span {
	if lower(text[start+len("-----")]) == 'e' {
		return findPEMTail(text, start)
	}
	head := pemHead().FindString(text[start:min(len(text), start+160)])
	if head == "" {
		return nil
	}
	key, isKey := span{start, start + len(head)}, false
	b := newBlock(text, start, key.end)
	for b.next() || pemHeader().MatchString(b.line) {
		if b.end > b.start {
			isKey, key.end = isKey || b.end-b.start >= 20, b.end
		}
	}
	if tail := pemTail().FindStringSubmatchIndex(b.line); tail != nil {
		isKey, key.end = isKey || pemLine().MatchString(b.line[:tail[0]]), b.from+tail[1]
	}
	if !isKey {
		return nil
	}
	return []span{key}
}

// findPEMTail finds a private key whose first lines are missing.
func findPEMTail(text string, start int) []span {
	tail := pemTail().FindString(text[start:min(len(text), start+160)])
	if !strings.Contains(tail, "PRIVATE KEY") {
		return nil
	}
	key, b := span{start, start + len(tail)}, newBlock(text, start, start)
	for from := start - len(b.prefix); from > 0; from = b.from {
		b.text, b.from = text[:from], lineTo(text, from-1)
		b.at = b.from
		if b.next(); b.line != "" && b.end-b.start < 16 && (key.start < start || b.end == b.start) {
			break
		} else if b.line != "" {
			key.start = b.start
		}
	}
	if !pemLine().MatchString(text[key.start:start]) {
		return nil
	}
	return []span{key}
}

// A private key of PuTTY has a number of lines, the lines, and a MAC, which lets
// attackers guess the passphrase.
var (
	ppkCount = lazy(`^\s*\d{1,3}\b`)
	ppkMAC   = lazy(`^\s*([0-9A-Fa-f]{40,64})\b`)
)

func findPPK(text string, start, end int) []span {
	if lower(text[start+len("private-")]) == 'm' {
		if at := ppkMAC().FindStringSubmatchIndex(text[end:min(len(text), end+80)]); at != nil {
			return []span{{end + at[2], end + at[3]}}
		}
		return nil
	}
	head := ppkCount().FindString(text[end:min(len(text), end+8)])
	lines, _ := strconv.Atoi(strings.TrimSpace(head)) // 0 without a number
	var key span
	for b := newBlock(text, start, end+len(head)); lines > 0 && b.next() && b.end-b.start >= 4; lines-- {
		if key.end = b.end; key.start == 0 {
			key.start = b.start
		}
	}
	if !pemLine().MatchString(text[key.start:key.end]) {
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
func findKubernetes(text string, start, end int) (list []span) {
	if !secretKind().MatchString(text[end:min(len(text), end+40)]) {
		return nil
	}
	const far = 4096
	after, before := text[end:min(len(text), end+far)], text[max(0, start-far):start]
	if next := nextObject().FindStringSubmatchIndex(after); next != nil {
		after = after[:next[0]]
	}
	if last := nextObject().FindAllStringSubmatchIndex(before, -1); last != nil {
		before = before[last[len(last)-1][1]:]
	}
	for _, part := range []span{{start - len(before), start}, {end, end + len(after)}} { // JSON in order has the data first
		data := secretData().FindStringSubmatchIndex(text[part.start:part.end])
		if data == nil {
			continue
		}
		from := part.start + data[1]
		for _, at := range secretValue().FindAllStringSubmatchIndex(text[from:part.end], -1) {
			name, s := text[from+at[0]:from+at[1]], text[from+at[2]:from+at[3]]
			if !notSecret().MatchString(name) && len(s)%4 == 0 && !isPlaceholder(s) && shapeOf(s).kinds > 4 {
				list = append(list, span{from + at[2], from + at[3]})
			}
		}
	}
	return list
}

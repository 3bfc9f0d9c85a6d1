package redact

import (
	"encoding/base64"
	"strings"
)

// encodedRule is the name for base64 of a text with a secret.
var encodedRule = &rule{ID: "base64-secret", rank: 2}

const shortestCode = 24

// encoded finds base64 of texts with secrets.
func (r *Redactor) encoded(found []finding, text string) []finding {
	done := 0
	eachCode(text, func(start, end int) bool {
		if start < done {
			return true
		}
		code := text[start:end]
		if len(code)%4 == 0 {
			code, end = wrapped(text, start, end)
		}
		done = end
		whole := len(code) / 4 * 4
		plain := decodeBase64(code[:whole])
		if len(code)-whole > 1 {
			plain = append(plain, decodeBase64(code[whole:])...)
		}
		if n := textIn(plain); len(r.plain(nil, string(plain[:n]))) > 0 {
			found = append(found, finding{encodedRule, start, end + run(text[end:], func(c byte) bool { return c == '=' }, 2)})
		}
		return true
	})
	return found
}

// wrapped returns the base64 at a place together with the lines of base64 below, and
// where the last line ends.
func wrapped(text string, start, end int) (code string, to int) {
	joined := []byte(text[start:end])
	if !lineRest().MatchString(text[end:min(len(text), end+80)]) {
		return string(joined), end
	}
	for b, width := newBlock(text, start, end), end-start; b.next() && b.end-b.start <= width; {
		line := strings.TrimRight(text[b.start:b.end], "=")
		if run(line, isPEM, width) < len(line) {
			break
		}
		joined, end = append(joined, line...), b.start+len(line)
		if len(line) < width {
			break
		}
	}
	return string(joined), end
}

// lineRest matches a line's end without base64.
var lineRest = lazy(`^[^\nA-Za-z0-9+/=]{0,64}(?:\n|\\+[nr])`)

// eachCode calls visit for each run of base64's characters whose beginning decodes to
// ordinary text, until visit returns false. A leading + or / is skipped, because it may
// be a diff's, and what ends in -, because it may be grep's.
func eachCode(text string, visit func(start, end int) bool) {
	for at := shortestCode - 1; at < len(text); at += shortestCode {
		if !isCode[text[at]] {
			continue
		}
		start, end := at, at
		for start > 0 && isCode[text[start-1]] && at-start < shortestCode {
			start--
		}
		for end < len(text) && isCode[text[end]] {
			end++
		}
		if start > 0 && text[start-1] == '\\' && strings.IndexByte("nrt", text[start]) >= 0 {
			start++
		}
		for ; end-start >= shortestCode; start++ {
			if head := decodeBase64(text[start : start+16]); head != nil && textIn(head) == len(head) {
				if !visit(start, end) {
					return
				}
				break
			}
			if text[start] == '+' || text[start] == '/' {
				continue
			}
			dash := strings.IndexByte(text[start:end], '-')
			if dash < 0 {
				break
			}
			start += dash
		}
		at = max(at, end-shortestCode)
	}
}

// hasCode reports whether the text contains a run that may be base64 of a text.
func hasCode(text string) (has bool) {
	eachCode(text, func(int, int) bool { has = true; return false })
	return has
}

var isCode = func() (set [256]bool) {
	for _, c := range "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_" {
		set[c] = true
	}
	return set
}()

var urlSafe = strings.NewReplacer("-", "+", "_", "/")

func decodeBase64(s string) []byte {
	plain, err := base64.RawStdEncoding.DecodeString(urlSafe.Replace(s))
	if err != nil {
		return nil
	}
	return plain
}

// textIn returns the number of bytes of ordinary text at the beginning.
func textIn(b []byte) int {
	for i, c := range b {
		if c < ' ' && c != '\n' && c != '\t' && c != '\r' || c == 0x7f || c >= 0x80 {
			return i
		}
	}
	return len(b)
}

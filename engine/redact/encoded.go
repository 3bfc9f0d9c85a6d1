package redact

import (
	"encoding/base64"
	"iter"
	"strings"
)

// encodedRule is the name for base64 of a text with a secret.
var encodedRule = &rule{ID: "base64-secret", rank: 2}

const shortestCode = 24

// encoded finds base64 of texts with secrets.
func (r *Redactor) encoded(found []finding, text string) []finding {
	done := 0
	for c := range codes(text) {
		if c.start < done {
			continue
		}
		code := text[c.start:c.end]
		if len(code)%4 == 0 {
			code, c.end = wrapped(text, c.start, c.end)
		}
		done = c.end
		whole := len(code) / 4 * 4
		plain := decodeBase64(code[:whole])
		if len(code)-whole > 1 {
			plain += decodeBase64(code[whole:])
		}
		if len(r.plain(nil, plain[:textIn(plain)])) > 0 {
			found = append(found, finding{encodedRule, c.start, c.end + run(text[c.end:], func(c byte) bool { return c == '=' }, 2)})
		}
	}
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

// codes yields each run of base64's characters whose beginning decodes to ordinary
// text. A leading + or / is skipped, because it may be a diff's, and what ends in -,
// because it may be grep's.
func codes(text string) iter.Seq[span] {
	return func(yield func(span) bool) {
		for at := shortestCode - 1; at < len(text); at += shortestCode {
			if !isCode[text[at]] {
				continue
			}
			start, end := at, at
			for start > 0 && at-start < shortestCode && isCode[text[start-1]] {
				start--
			}
			for end < len(text) && isCode[text[end]] {
				end++
			}
			if start > 0 && text[start-1] == '\\' && strings.IndexByte("nrt", text[start]) >= 0 {
				start++
			}
			for ; end-start >= shortestCode; start++ {
				if head := decodeBase64(text[start : start+16]); head != "" && textIn(head) == len(head) {
					if !yield(span{start, end}) {
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
}

// hasCode reports whether the text contains a run that may be base64 of a text.
func hasCode(text string) bool {
	for range codes(text) {
		return true
	}
	return false
}

// isCode has the bytes of base64, of either alphabet, but not =.
var isCode = func() (set [256]bool) {
	for c := range set {
		set[c] = isAlnum(byte(c)) || strings.IndexByte("+/-_", byte(c)) >= 0
	}
	return set
}()

var urlSafe = strings.NewReplacer("-", "+", "_", "/")

// decodeBase64 returns an empty text if the code isn't base64.
func decodeBase64(code string) string {
	plain, err := base64.RawStdEncoding.DecodeString(urlSafe.Replace(code))
	if err != nil {
		return ""
	}
	return string(plain)
}

// textIn returns the number of bytes of ordinary text at the beginning.
func textIn(s string) int {
	return run(s, func(c byte) bool { return ' ' <= c && c < 0x7f || isSpace(c) }, len(s))
}

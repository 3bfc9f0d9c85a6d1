package redact

import (
	"encoding/base64"
	"encoding/json"
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

// json replaces secrets in the strings and member names of a valid JSON value. A
// member's value is searched together with the member's name, which often marks a
// secret. The value of a member "value" is searched together with the value of the
// member "name" before it, as in {"name": "DB_PASSWORD", "value": "…"}. A string in a
// list is searched together with the flag before it, as in ["--password", "…"].
func (r *Redactor) json(text string) string {
	if !r.words.any(text) && !strings.Contains(text, `\u00`) && !hasCode(text) {
		return text
	}
	var b strings.Builder
	done, name, about := 0, "", ""
	for i := 0; i < len(text); {
		if c := text[i]; c != '"' {
			if c != ':' && c != ',' && !isSpace(c) {
				name, about = "", "" // the value isn't a string
			}
			i++
			continue
		}
		end := i + literal(text[i:])
		value := decode(text[i:end])
		isName := strings.HasPrefix(strings.TrimLeft(text[end:], " \n\t\r"), ":")
		before, after := "", `"`
		switch {
		case isName:
		case name == "" && strings.HasPrefix(about, "-"): // in a list of arguments
			before, after = about+" ", ""
		case strings.EqualFold(name, "value") && about != "":
			before = `"` + about + `": "`
		case name != "":
			before = `"` + name + `": "`
		}
		if changed := r.behind(before, value, after); changed != value {
			b.WriteString(text[done:i])
			b.WriteString(encode(changed))
			done = end
		}
		switch {
		case isName:
			name = value
		case name == "" || strings.EqualFold(name, "name") || strings.EqualFold(name, "key"):
			name, about = "", value
		default:
			name = ""
		}
		i = end
	}
	b.WriteString(text[done:])
	return b.String()
}

// longestBefore is how many bytes before a value may show that the value is a secret: a
// name, or the end of a longer one. A name may stand before thousands of values.
const longestBefore = 256

// behind replaces secrets in value. It searches the value together with the texts
// before and after, if any, which may show that the value is a secret.
func (r *Redactor) behind(before, value, after string) string {
	if before == "" {
		return r.Redact(value, false)
	}
	before = before[max(0, len(before)-longestBefore):]
	whole := before + value + after
	var found []finding
	for _, f := range r.find(whole) {
		f.start, f.end = max(f.start-len(before), 0), min(f.end-len(before), len(value))
		if f.start < f.end {
			found = append(found, f)
		}
	}
	return r.replace(value, found)
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

// literal returns the length of the string at the beginning of the text.
func literal(text string) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}

func decode(literal string) string {
	if strings.IndexByte(literal, '\\') < 0 {
		return strings.TrimSuffix(literal[1:], `"`)
	}
	var text string
	if json.Unmarshal([]byte(literal), &text) != nil {
		return literal // the text wasn't JSON
	}
	return text
}

func encode(text string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(text) // a string always encodes
	return strings.TrimSuffix(b.String(), "\n")
}

package redact

import (
	"encoding/json"
	"strings"
)

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

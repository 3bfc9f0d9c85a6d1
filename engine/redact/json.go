package redact

import (
	"bytes"
	"encoding/json"
	"strings"
)

// json replaces secrets in the strings of a valid JSON value, and in the names
// of its members. A string that is a member's value is looked at together with
// the member's name, which often tells that it is a secret.
func (r *Redactor) json(text string) string {
	if !r.words.any(text) && !strings.Contains(text, `\u00`) {
		return text
	}
	var b strings.Builder
	done, name := 0, ""
	for i := 0; i < len(text); {
		if c := text[i]; c != '"' {
			if c != ':' && !isSpace(c) {
				name = "" // the value isn't a string
			}
			i++
			continue
		}
		end := i + literal(text[i:])
		value := decode(text[i:end])
		isName := isName(text[end:])
		var changed string
		if isName {
			changed = r.Redact(value, false)
		} else {
			changed = r.member(name, value)
		}
		if changed != value {
			b.WriteString(text[done:i])
			b.WriteString(encode(changed))
			done = end
		}
		name = ""
		if isName {
			name = value
		}
		i = end
	}
	b.WriteString(text[done:])
	return b.String()
}

// member replaces what is secret in a member's value, by itself or for the
// member's name.
func (r *Redactor) member(name, value string) string {
	if name == "" {
		return r.Redact(value, false)
	}
	before := `"` + name + `": "`
	whole := before + value + `"`
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

// literal is the length of the string that the text begins with.
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

func isName(rest string) bool {
	rest = strings.TrimLeft(rest, " \n\t\r")
	return rest != "" && rest[0] == ':'
}

func decode(literal string) string {
	if strings.IndexByte(literal, '\\') < 0 {
		return strings.TrimSuffix(literal[1:], `"`)
	}
	var text string
	if json.Unmarshal([]byte(literal), &text) != nil {
		return literal // it wasn't JSON
	}
	return text
}

func encode(text string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(text); err != nil {
		panic(err) // a string always encodes
	}
	return strings.TrimSuffix(b.String(), "\n")
}

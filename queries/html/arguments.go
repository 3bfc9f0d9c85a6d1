package html

import (
	"encoding/json"
	"slices"
	"strings"

	"hindsql/internal/pattern"
	"hindsql/queries/conversation"
	"hindsql/tables"
)

// argument is a named argument of a call.
type argument struct{ name, text string }

// arguments returns a call's arguments in order. Input other than an object is one
// argument.
func arguments(input string) (list []argument) {
	d := json.NewDecoder(strings.NewReader(input))
	if token, err := d.Token(); err != nil || token != json.Delim('{') {
		if input == "" || input == "null" {
			return nil
		}
		return []argument{{"input", input}}
	}
	for d.More() {
		name, err := d.Token()
		var value json.RawMessage
		if err != nil || d.Decode(&value) != nil {
			break
		}
		a := argument{name: name.(string), text: string(value)} // JSON keys are strings
		var text string
		if json.Unmarshal(value, &text) == nil {
			a.text = text
		} else if strings.ContainsAny(a.text[:1], "[{") {
			if indented, err := json.MarshalIndent(value, "", "  "); err == nil {
				a.text = string(indented)
			}
		}
		if a.text != "null" {
			list = append(list, a)
		}
	}
	return list
}

// oldNew matches names of an edit's arguments: the old and the new text.
var oldNew = pattern.Lazy(`(?i)^(old|new)_?(string|str|text|content|source)$`)

// editOf returns a call's edit as a diff, empty if the call is no edit, and the
// arguments missing from the diff.
func editOf(c *conversation.ToolCall) (diff string, rest []argument) {
	rest = arguments(c.Input)
	isEdit := func(a argument) bool { return oldNew.MatchString(a.name) }
	if c.Refusal != nil && c.Refusal.Diff != "" {
		for _, a := range rest {
			if strings.Contains(a.text, "\n") { // part of the diff
				rest = slices.DeleteFunc(slices.Clone(rest), func(o argument) bool { return o.name == a.name })
			}
		}
		return c.Refusal.Diff, slices.DeleteFunc(rest, isEdit)
	}
	var old, new *argument
	for i := range rest {
		if m := oldNew.FindStringSubmatch(rest[i].name); m != nil && strings.EqualFold(m[1], "old") {
			old = &rest[i]
		} else if m != nil {
			new = &rest[i]
		}
	}
	if old == nil || new == nil || len(old.text)+len(new.text) > longestDiff/8 {
		return "", rest
	}
	diff = tables.UnifiedDiff(old.text, new.text)
	if diff == "" {
		return "", rest
	}
	return diff, slices.DeleteFunc(rest, isEdit)
}

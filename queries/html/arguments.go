package html

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"hindsql/queries/conversation"
	"hindsql/tables"
)

// argument is one of a call's, by its name.
type argument struct{ name, text string }

// arguments are those of a call, in their order; what is no object is one.
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
		a := argument{name: name.(string), text: string(value)} // a key of an object is a string
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

// oldNew are the names of an edit's arguments: what was there, and what is to be.
var oldNew = regexp.MustCompile(`(?i)^(old|new)_?(string|str|text|content|source)$`)

// editOf is a call's edit as a diff, empty where it is none, and the arguments that
// the diff doesn't show.
func editOf(c *conversation.ToolCall) (diff string, rest []argument) {
	rest = arguments(c.Input)
	isEdit := func(a argument) bool { return oldNew.MatchString(a.name) }
	if c.Refusal != nil && c.Refusal.Diff != "" {
		for _, a := range rest {
			if strings.Contains(a.text, "\n") { // texts of the diff
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

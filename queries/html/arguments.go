package html

import (
	"slices"
	"strings"

	"hindsql/internal/pattern"
	"hindsql/queries/conversation"
	"hindsql/tables"
)

// oldNew matches names of an edit's arguments: the old and the new text.
var oldNew = pattern.Lazy(`(?i)^(old|new)_?(string|str|text|content|source)$`)

// editOf returns a call's edit as a diff, empty if the call is no edit, and the
// arguments missing from the diff.
func editOf(c *conversation.ToolCall) (diff string, rest []conversation.Argument) {
	rest = c.Arguments()
	isEdit := func(a conversation.Argument) bool { return oldNew.MatchString(a.Name) }
	if c.Refusal != nil && c.Refusal.Diff != "" {
		for _, a := range rest {
			if strings.Contains(a.Indented(), "\n") { // part of the diff
				rest = slices.DeleteFunc(slices.Clone(rest), func(o conversation.Argument) bool { return o.Name == a.Name })
			}
		}
		return c.Refusal.Diff, slices.DeleteFunc(rest, isEdit)
	}
	var old, new *conversation.Argument
	for _, a := range c.Inputs() { // either may be empty
		if m := oldNew.FindStringSubmatch(a.Name); m != nil && strings.EqualFold(m[1], "old") {
			old = &a
		} else if m != nil {
			new = &a
		}
	}
	if old == nil || new == nil || len(old.Text)+len(new.Text) > longestDiff/8 {
		return "", rest
	}
	diff = tables.UnifiedDiff(old.Text, new.Text)
	if diff == "" {
		return "", rest
	}
	return diff, slices.DeleteFunc(rest, isEdit)
}

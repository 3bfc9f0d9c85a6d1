package html

import (
	"strings"

	"hindsql/internal/printable"
	"hindsql/internal/result"
)

// Title returns a column's name for people.
func Title(c result.Column) string { return printable.Text(beginning(Spaced(c.Name), longestLabel)) }

// Titles returns the columns' names for people. A duration's title has no unit, because
// each value has one.
func Titles(columns []result.Column) []string {
	titles := make([]string, len(columns))
	for i, name := range result.Heads(columns) {
		titles[i] = Title(result.Column{Name: name})
	}
	return titles
}

// Spaced returns a name of SQL as words.
func Spaced(name string) string { return strings.ReplaceAll(name, "_", " ") }

// Value writes a value for people; NULL is empty.
func Value(v any, c result.Column) string {
	if v == nil {
		return ""
	}
	if s, ok := v.(string); ok && c.Type == "VARCHAR" {
		return s
	}
	t := result.TypeOf(c.Type)
	return t.Words(v, c.Name)
}

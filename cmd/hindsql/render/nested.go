package render

import (
	"sort"
	"strings"
)

func listText(values []any, t *dtype) string {
	parts := make([]string, len(values))
	for i, v := range values {
		parts[i] = nestedText(v, t.element())
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

func structText(values map[string]any, t *dtype) string {
	var parts []string
	for _, name := range fieldOrder(values, t) {
		parts = append(parts, "'"+escape(name)+"': "+nestedText(values[name], t.of(name)))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func mapText(keys, values []any, t *dtype) string {
	parts := make([]string, len(keys))
	for i := range keys {
		parts[i] = nestedText(keys[i], t.keys()) + "=" + nestedText(values[i], t.element())
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// fieldOrder lists the fields in the order of the type; in that of the
// alphabet where the type is not known.
func fieldOrder(values map[string]any, t *dtype) []string {
	var names []string
	for _, f := range t.fields {
		if _, ok := values[f.name]; ok {
			names = append(names, f.name)
		}
	}
	if len(names) == len(values) {
		return names
	}
	names = names[:0]
	for name := range values {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// nestedText is the text of a value inside a list, struct or map, where
// DuckDB puts quotes around what could be mistaken for structure.
func nestedText(v any, t *dtype) string {
	s := text(v, t)
	switch v.(type) {
	case nil, []any, map[string]any, bool:
		return s
	}
	if _, _, ok := orderedMap(v); ok {
		return s
	}
	if needsQuotes(s) {
		return "'" + escape(s) + "'"
	}
	return s
}

func needsQuotes(s string) bool {
	return s == "" || strings.TrimSpace(s) != s || strings.EqualFold(s, "NULL") || strings.ContainsAny(s, `,'"()[]{}=:`)
}

func escape(s string) string {
	return strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s)
}

package result

import (
	"sort"
	"strings"
)

func (t *Type) listText(values []any) string {
	parts := make([]string, len(values))
	for i, v := range values {
		parts[i] = t.element().nestedText(v)
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

func (t *Type) structText(values map[string]any) string {
	var parts []string
	for _, name := range t.fieldOrder(values) {
		parts = append(parts, "'"+escape(name)+"': "+t.of(name).nestedText(values[name]))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func (t *Type) mapText(keys, values []any) string {
	parts := make([]string, len(keys))
	for i := range keys {
		parts[i] = t.keys().nestedText(keys[i]) + "=" + t.element().nestedText(values[i])
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// fieldOrder returns the field names in the order of the type; sorted if the type is
// unknown.
func (t *Type) fieldOrder(values map[string]any) []string {
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

// nestedText returns the text of a value inside a list, struct or map. Like DuckDB, it
// quotes texts easily mistaken for structure.
func (t *Type) nestedText(v any) string {
	s := t.Text(v)
	switch v.(type) {
	case nil, []any, map[string]any, bool:
		return s
	}
	if _, _, ok := orderedMap(v); ok {
		return s
	}
	if _, written := v.(string); written && t.isNested() { // written by DuckDB, because duckdb-go can't read the type
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

package render

// Text writes a value as DuckDB's cast to VARCHAR does; typ is DuckDB's name
// of its type. NULL gives "NULL".
func Text(v any, typ string) string {
	types := parseTypes([]Column{{Type: typ}})
	return text(v, &types[0])
}

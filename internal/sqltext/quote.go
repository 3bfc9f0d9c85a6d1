package sqltext

import "strings"

// Literal writes a text as a string of SQL. A NUL, at which DuckDB's parser ends,
// is put in by its number.
func Literal(text string) string {
	quoted := "'" + strings.ReplaceAll(text, "'", "''") + "'"
	if strings.Contains(text, "\x00") {
		return "(" + strings.ReplaceAll(quoted, "\x00", "' || chr(0) || '") + ")"
	}
	return quoted
}

// Identifier writes a name so that SQL takes it, whatever is in it.
func Identifier(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

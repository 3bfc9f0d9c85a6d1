package tables

import (
	"fmt"
	"strings"
)

// Quote writes a text as SQL does. A NUL, at which DuckDB's parser ends, is put in
// by its number.
func Quote(s string) string {
	quoted := "'" + strings.ReplaceAll(s, "'", "''") + "'"
	if strings.Contains(s, "\x00") {
		return "(" + strings.ReplaceAll(quoted, "\x00", "' || chr(0) || '") + ")"
	}
	return quoted
}

// Identifier writes a name so that SQL takes it, whatever is in it.
func Identifier(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// Renumbered is the SQL of a session's id, which may end in that of its source,
// see the first of the links, where the source gets another id.
func Renumbered(session, old, now string) string {
	suffix := func(id string) string { return "format('{:x}', " + id + ")" }
	return fmt.Sprintf("CASE WHEN ends_with(%[1]s, '@' || %[2]s) THEN left(%[1]s, -length(%[2]s)) || %[3]s ELSE %[1]s END",
		session, suffix(old), suffix(now))
}

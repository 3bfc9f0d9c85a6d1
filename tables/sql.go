package tables

import "fmt"

// Renumbered is the SQL of a session's id, which may end in that of its source,
// see the first of the links, where the source gets another id.
func Renumbered(session, old, now string) string {
	suffix := func(id string) string { return "format('{:x}', " + id + ")" }
	return fmt.Sprintf("CASE WHEN ends_with(%[1]s, '@' || %[2]s) THEN left(%[1]s, -length(%[2]s)) || %[3]s ELSE %[1]s END",
		session, suffix(old), suffix(now))
}

package tables

import "fmt"

// Renumbered returns the SQL of a session id after a source's id changed from old to
// now. A session id may end in the id of its source, see link 1-session-ids.
func Renumbered(session, old, now string) string {
	suffix := func(id string) string { return "format('{:x}', " + id + ")" }
	return fmt.Sprintf("CASE WHEN ends_with(%[1]s, '@' || %[2]s) THEN left(%[1]s, -length(%[2]s)) || %[3]s ELSE %[1]s END",
		session, suffix(old), suffix(now))
}

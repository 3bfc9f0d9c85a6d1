package tables

import (
	"cmp"
	"slices"
)

// machineDoc and the others are what each table says of the columns that tell
// where a row comes from.
const (
	machineDoc = "id of the machine that the log lies on, see hindsql machine"
	userDoc    = "whose log it is: the name of the user there; null where it isn't told"
	hostDoc    = "name of the machine that the log lies on"
)

// machine is the id of the machine that the source lies on; its name where it has
// no id.
func (s *Source) machine() string { return cmp.Or(s.Machine, s.Host) }

// withOrigin puts the columns that say where a row's log lies behind a table's own,
// and before what only joins need.
func withOrigin[R any](of func(*R) *Source, columns []column[R]) []column[R] {
	at := slices.IndexFunc(columns, func(c column[R]) bool { return c.Name == isCopy || c.Name == "source_id" })
	return slices.Insert(columns, at,
		text("machine", machineDoc, func(r *R) string { return of(r).machine() }),
		text("user", userDoc, func(r *R) string { return of(r).User }),
		text("host", hostDoc, func(r *R) string { return of(r).Host }))
}

// IsOrigin says whether a column is one of those that say where a row's log lies.
func IsOrigin(column string) bool {
	return column == "machine" || column == "user" || column == "host"
}

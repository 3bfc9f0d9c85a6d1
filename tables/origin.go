package tables

import (
	"cmp"
	"slices"
)

// machineDoc, userDoc and hostDoc are the prose of the origin columns in each table.
const (
	machineDoc = "id of the log's machine, see hindsql machine"
	userDoc    = "name of the log's user; null if unknown or withheld"
	hostDoc    = "name of the log's machine"
)

// machine returns the id of the source's machine, or its name if the id is unknown.
func (s *Source) machine() string { return cmp.Or(s.Machine, s.Host) }

// withOrigin inserts the origin columns (machine, user and host) after a table's own
// columns and before is_copy and source_id.
func withOrigin[R any](of func(*R) *Source, columns []column[R]) []column[R] {
	at := slices.IndexFunc(columns, func(c column[R]) bool { return c.Name == isCopy || c.Name == "source_id" })
	return slices.Insert(columns, at,
		text("machine", machineDoc, func(r *R) string { return of(r).machine() }),
		text("user", userDoc, func(r *R) string { return of(r).User }),
		text("host", hostDoc, func(r *R) string { return of(r).Host }))
}

// IsOrigin reports whether a column is machine, user or host.
func IsOrigin(column string) bool {
	return column == "machine" || column == "user" || column == "host"
}

//go:build !unix

package sqlite

// locked is not known: Windows tells of a lock only who tries to take it.
func locked(file) (yes, known bool) { return false, false }

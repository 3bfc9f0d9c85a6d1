//go:build !unix

package sqlite

// locked is unknown: Windows reveals a lock only to programs trying to take the lock.
func locked(file) (yes, known bool) { return false, false }

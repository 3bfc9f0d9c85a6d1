// Package lockfile makes the locks of files that one process at a time may hold. In: the
// path of a lock's file. Out: a lock. The package never waits for a pipe that has the
// file's name: such a path is an error.
package lockfile

import (
	"os"

	"github.com/gofrs/flock"

	"hindsql/internal/regular"
)

// Lock is a lock on a file. The system releases the lock if the process dies.
type Lock = flock.Flock

// New returns a lock that makes its file, readable for the user only.
func New(path string) (*Lock, error) { return Of(path, os.O_CREATE|os.O_RDONLY) }

// Of returns a lock that opens its file with the flags of [os.OpenFile].
func Of(path string, flags int) (*Lock, error) {
	if err := regular.Check(path); err != nil {
		return nil, err
	}
	return flock.New(path, flock.SetFlag(flags), flock.SetPermissions(0o600)), nil
}

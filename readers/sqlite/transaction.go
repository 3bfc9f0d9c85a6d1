package sqlite

import (
	"io/fs"
	"os"
	"slices"
	"sync"
	"time"
)

// The end of a transaction is waited for, but not by each of thousands of logs
// that ask one database, nor by each command, where it is long.
const (
	quiet      = time.Second      // without a write: the transaction is a long one
	enough     = 2 * time.Second  // of waiting for one database
	enoughLast = 10 * time.Second // how long no other view waits then
)

// inTransaction is the error of a database in the midst of a transaction.
type inTransaction struct {
	error
	db   fs.FileInfo
	idle time.Duration // since a write
}

func (t *inTransaction) Unwrap() error { return t.error }

// isLong says whether to wait no longer, of which a view has waited so long.
func (t *inTransaction) isLong(waited time.Duration) bool {
	long.mu.Lock()
	defer long.mu.Unlock()
	long.list = slices.DeleteFunc(long.list, func(l inVain) bool { return time.Since(l.since) > enoughLast })
	known := slices.ContainsFunc(long.list, func(l inVain) bool { return os.SameFile(l.db, t.db) })
	if !known && waited >= enough {
		long.list = append(long.list, inVain{t.db, time.Now()})
		known = true
	}
	return known || t.idle > quiet
}

// long are the databases that were waited for in vain lately.
var long struct {
	mu   sync.Mutex
	list []inVain
}

type inVain struct {
	db    fs.FileInfo
	since time.Time
}

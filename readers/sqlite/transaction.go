package sqlite

import (
	"io/fs"
	"os"
	"slices"
	"sync"
	"time"
)

// View waits for the end of a transaction. If the transaction is long, the wait must
// not repeat for each of thousands of logs in one database, nor for each command.
const (
	quiet      = time.Second      // without a write: the transaction counts as long
	enough     = 2 * time.Second  // longest wait of one view for one database
	enoughLast = 10 * time.Second // after enough, how long no other view waits
)

// inTransaction is the error of a database in the middle of a transaction.
type inTransaction struct {
	error
	db   fs.FileInfo
	idle time.Duration // since the last write
}

func (t *inTransaction) Unwrap() error { return t.error }

// isLong reports whether a view should stop waiting. waited is the view's wait so far.
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

// long lists the databases that a view recently waited for in vain.
var long struct {
	mu   sync.Mutex
	list []inVain
}

type inVain struct {
	db    fs.FileInfo
	since time.Time
}

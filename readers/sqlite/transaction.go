package sqlite

import (
	"io/fs"
	"os"
	"slices"
	"sync"
	"time"
)

// View waits for the end of a transaction. But a database may hold thousands of
// sessions, each read by a View of its own. If the transaction is long, they must not
// all wait.
const (
	quiet      = time.Second      // a transaction without a write for this long counts as long
	enough     = 2 * time.Second  // longest wait of one view for one database
	enoughLast = 10 * time.Second // for this long after such a wait, no other view waits for the database
)

// inTransaction is the error of a database in the middle of a transaction.
type inTransaction struct {
	error
	db   fs.FileInfo
	idle time.Duration // since the last write
}

func (t *inTransaction) Unwrap() error { return t.error }

// isLong reports whether a view should stop waiting for the transaction. waited is how
// long it has waited so far.
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

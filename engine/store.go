package engine

import (
	"context"
	"sync"
	"time"

	"hindsql/engine/store"
)

// Store keeps the tables in a DuckDB file, or shows rows from elsewhere, and does all
// reading and writing. A Store is safe for use by many goroutines.
type Store struct {
	kind     kind
	settings *settings
	disks    *disks
}

// opened holds the files of this process's Stores by path. Two DuckDBs in one process
// would not see each other's locks on a file. One would read while the other writes.
var (
	opened      = map[string]*file{}
	openedMutex sync.Mutex
)

// Open returns the Store of a path. All callers that open the same file get the same
// Store, which reads the logs that the last caller named. A safe Store and a lake are
// never shared. Open reads and attaches nothing yet. It returns an error for an unknown
// time zone, a [*NotAStore] for a path that can't be a file, or DuckDB's error.
func Open(ctx context.Context, c Config) (*Store, error) {
	if _, err := location(c.Timezone); err != nil {
		return nil, err
	}
	switch {
	case c.Lake != nil:
		return openLake(ctx, c)
	case c.Safe != nil:
		return openSafe(ctx, c)
	}
	return openFile(ctx, c)
}

// IsOpen reports whether a process has a Store open at the path.
func IsOpen(path string) bool { return store.IsOpen(path) }

// Close releases the Store. When all callers have closed the Store, its DuckDB and its
// sessions end.
func (st *Store) Close() error { return st.kind.close() }

// Sync brings the store up to date with the logs. One sync runs at a time, across all
// processes. If another sync is running, Sync waits for Patience and then reports Busy.
// If the other sync makes the store and Patience is zero, Sync waits for ten minutes.
//
// Sync waits for running statements for 250 ms at most. It waits for 2 s if no sync
// could write for a second, and for up to 5 s if Patience is more than 2 s. Then Sync
// reports the process in the way, and the rows stay as before. Sync does the same if
// the disk takes no more rows, see [Unwritable].
//
// A killed Sync leaves a store that opens, and the next Sync goes on. If Sync had
// nothing to do, the store stays attached for the statement that most likely follows.
// If no statement follows, call [Store.Detach].
//
// The error is a [*Held] if another program writes to the file, a [*NotAStore], or an
// [*Unwritable] if there is no store to answer from. For rows from elsewhere, Sync does
// nothing: such rows have no logs.
func (st *Store) Sync(ctx context.Context, o SyncOptions) (SyncReport, error) {
	return st.kind.sync(ctx, o)
}

// SyncedAt returns when the logs were last found to be loaded. Before this process's
// first sync it returns the time of the last write to the file, or zero without a file.
func (st *Store) SyncedAt() time.Time { return st.kind.syncedAt() }

// Detach releases the store, and other processes can then write to the file. A Store is
// held only after a Sync that no statement followed.
func (st *Store) Detach(ctx context.Context) { _ = st.kind.detach(ctx) }

// Stay keeps the store attached between statements, until the caller calls leave. It
// saves attaching the store for each of several statements, 8 ms each with 1 GB of logs.
// A writer of another process waits for the end of the running statement, or for leave
// if none runs. So the time between two statements has to be short.
func (st *Store) Stay(ctx context.Context) (leave func()) { return st.kind.stay(ctx) }

// PricesName names the list by which costs are estimated; empty for none.
func (st *Store) PricesName() string { return st.settings.get().Prices.Name }

// Mark returns a text that changes when any program writes to the store's file. Mark
// reads no rows. The text is empty if the file doesn't exist.
func (st *Store) Mark() string { return store.MarkOf(st.settings.get().Store) }

func (in *instance) exec(ctx context.Context, statement string) error {
	_, err := in.conn.ExecContext(ctx, statement)
	return in.note(err)
}

// each calls visit for each row of a query, on a connection of its own.
func (in *instance) each(ctx context.Context, query string, visit func(scan func(...any) error) error, args ...any) error {
	rows, err := in.db.QueryContext(ctx, query, args...)
	if err != nil {
		return in.note(err)
	}
	return in.note(eachRow(rows, visit))
}

package engine

import (
	"context"
	"sync"
	"time"
)

// Store is the DuckDB file of the tables, or rows in its place, and what reads and
// writes them. Safe for use by many goroutines.
type Store struct {
	kind     kind
	settings *settings
	disks    *disks
}

// opened are the files of this process's Stores, by their path. Two DuckDBs of a
// process on one file would not see each other's locks, and read what the other is
// writing.
var (
	opened      = map[string]*file{}
	openedMutex sync.Mutex
)

// Open gives the Store of a path, the same one to all who ask. It reads the logs
// that the last to open it named. Nothing is read or attached yet. The error is
// that of an unknown time zone, a [*NotAStore] for a path where no file can be, or
// DuckDB's.
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

// Close gives the Store up. Its DuckDB ends when all who opened it have.
// Sessions end with it.
func (st *Store) Close() error { return st.kind.close() }

// Sync brings the store up to date with the logs. One at a time does, of all
// processes: where another one runs, Sync waits for Patience, and then reports
// Busy; where that one makes the store, and no Patience is named, for ten
// minutes. It waits 250 ms at most for statements that are running, 2 s when no sync
// has come to write for a second, 5 s where Patience is more than 2 s, and then reports who is in the way: what
// follows is answered from before. So it is where the disk
// takes no more rows, see [Unwritable]. Whenever it is killed, the
// store opens, and the next Sync goes on. Where it had nothing to do the store
// stays attached for the statement that most likely follows: where none does,
// call [Store.Detach]. The error is a [*Held] when another program writes to the
// file, a [*NotAStore], or an [*Unwritable] where there is no store to answer from.
// Rows that lie elsewhere have no logs: nothing is done.
func (st *Store) Sync(ctx context.Context, o SyncOptions) (SyncReport, error) {
	return st.kind.sync(ctx, o)
}

// SyncedAt is when the logs were last found to be loaded; before the first sync
// of this process, when the file was last written to, and zero without one.
func (st *Store) SyncedAt() time.Time { return st.kind.syncedAt() }

// Detach lets go of the store, so that other processes can write to it. Only
// after a Sync without a statement behind it there is anything to let go of.
func (st *Store) Detach(ctx context.Context) { _ = st.kind.detach(ctx) }

// Mark tells what the store's file holds from what it held before, whoever wrote
// to it. It reads no rows, and is empty where there is no file.
func (st *Store) Mark() string { return markOf(st.settings.get().Store) }

func (in *instance) exec(ctx context.Context, statement string) error {
	_, err := in.conn.ExecContext(ctx, statement)
	return err
}

// each calls visit for each row of a query, on a connection of its own.
func (in *instance) each(ctx context.Context, query string, visit func(scan func(...any) error) error, args ...any) error {
	rows, err := in.db.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	return eachRow(rows, visit)
}

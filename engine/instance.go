package engine

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"hindsql/engine/store"
)

// instance is a DuckDB of this process, with tables attached under the name store.
type instance struct {
	at       store.File
	settings *settings
	disks    *disks
	from     origin
	db       *sql.DB
	conn     *sql.Conn // attaches, and makes names
	spill    *store.Spill
	held     store.Hold
	attached attachment
	lossless lossless

	narrow atomic.Bool // DuckDB has one thread, see widen

	broken   atomic.Bool // DuckDB refuses every statement, see whole
	epoch    int         // number of times that DuckDB was started anew; guarded by held
	sessions sync.Map    // the open connections

	redaction    sync.Once // makes the redaction function
	redactionErr error
}

// origin is where an instance's store tables come from: onDisk (the user's file),
// lakeRows or handedIn (a worker's rows).
type origin interface {
	// wait returns when no other process waits to write to the file.
	wait(ctx context.Context, in *instance) error
	// isWanted reports whether a process waits to write to the file.
	isWanted(in *instance) bool
	// attach makes the tables readable, and letGo detaches them. Calls never overlap.
	attach(ctx context.Context, in *instance) error
	letGo(ctx context.Context, in *instance) error
	// hasLogs reports whether the rows' logs lie here, with readable lines.
	hasLogs() bool
}

// newInstance starts a DuckDB for a configuration. It attaches nothing yet.
func newInstance(ctx context.Context, c Config, from origin) (*instance, error) {
	in := &instance{at: store.File{Path: c.Store}, settings: &settings{config: c}, from: from, spill: store.NewSpill(c.Store), held: store.NewHold()}
	in.attached.gate = store.NewGate()
	in.narrow.Store(true)
	in.disks = &disks{at: in.at, settings: in.settings}
	var err error
	in.db, in.conn, err = openMemory(context.WithoutCancel(ctx), in.spill.Folder, 1)
	return in, err
}

// widen lets DuckDB use all its threads, for a session's statements. Until then DuckDB
// has one thread: a sync that finds nothing changed runs a few small statements, and a
// second thread only waits for work, which costs a tenth of such a command.
func (in *instance) widen(ctx context.Context) error {
	if !in.narrow.CompareAndSwap(true, false) {
		return nil
	}
	return in.exec(context.WithoutCancel(ctx), "RESET threads")
}

func (in *instance) close() error {
	return errors.Join(in.conn.Close(), in.db.Close(), in.spill.Close())
}

// connect opens a connection for statements, in a time zone. syncedAt tells the age of
// the rows.
func (in *instance) connect(ctx context.Context, syncedAt func() time.Time, zone *time.Location) (*connection, error) {
	if err := in.whole(ctx); err != nil {
		return nil, err
	}
	s := &connection{in: in, syncedAt: syncedAt, location: zone, busy: store.NewGate()}
	s.words = newCompleter(s, s.each)
	if err := in.join(ctx, s); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

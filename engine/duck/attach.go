package duck

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"hindsql/engine/store"
	"hindsql/internal/sqltext"
	"hindsql/readers"
	"hindsql/tables"
)

// attachment is the state of the store's file in this process's DuckDB.
type attachment struct {
	gate    store.Gate // held while a caller attaches or detaches the file
	is      bool
	file    fs.FileInfo  // the attached file; nil for the empty tables of a missing store
	checked fs.FileInfo  // the file last found to have this build's tables
	named   bool         // the views and functions of makeNames exist
	stays   atomic.Int32 // number of calls of Stay without leave
}

// Level is how far the store's tables are made readable.
type Level int

const (
	Held     Level = iota // no other process writes; nothing is attached
	Attached              // any build of hindsql may have written the tables
	Checked               // this build wrote the tables; callers name them with their schema, or use storeNames
	Named                 // and the views and functions exist that users call without naming a schema
)

// Acquire makes the store's tables readable until Release is called. The tables of a
// missing store are empty.
func (d *DB) Acquire(ctx context.Context, level Level) error {
	if err := cmp.Or(d.from.wait(ctx, d), d.restartIfBroken(ctx)); err != nil {
		return err
	}
	if err := d.held.RLock(ctx); err != nil {
		return err
	}
	err := d.withAttachment(ctx, func() error { return d.attach(ctx, level) })
	if err != nil {
		d.Release(ctx)
	}
	return err
}

// Release undoes Acquire. The last release detaches the file, to let other processes
// write. If more statements are to come soon (see Stay), the file stays attached until
// another process waits to write.
func (d *DB) Release(ctx context.Context) {
	d.held.RUnlock()
	if d.attached.stays.Load() == 0 || d.from.isWanted(d) {
		_ = d.Detach(ctx)
	}
}

// Stay keeps the file attached between the caller's statements, until the caller calls
// leave. The file isn't held meanwhile: a writer of this process takes it, and so does
// one of another process at the end of a statement.
func (d *DB) Stay(ctx context.Context) (leave func()) {
	d.attached.stays.Add(1)
	return sync.OnceFunc(func() {
		if d.attached.stays.Add(-1) == 0 {
			_ = d.Detach(ctx)
		}
	})
}

// Park is Release without detaching the file: most likely another statement follows.
func (d *DB) Park() { d.held.RUnlock() }

// Detach detaches the file unless a caller still holds the tables.
func (d *DB) Detach(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	return d.withAttachment(ctx, func() error {
		if !d.attached.is || d.held.CountReaders() > 0 {
			return nil
		}
		return d.from.detach(ctx, d)
	})
}

// needsNames reports whether makeNames hasn't run yet, and the store's file exists.
// Statements can then use the views and functions in the file, see storeNames.
func (d *DB) needsNames(ctx context.Context) (needs bool) {
	_ = d.withAttachment(ctx, func() error {
		needs = !d.attached.named && store.Exists(d.at.Path)
		return nil
	})
	return needs
}

func (d *DB) withAttachment(ctx context.Context, use func() error) error {
	if err := d.attached.gate.Enter(ctx); err != nil {
		return err
	}
	defer d.attached.gate.Leave()
	return use()
}

// attach makes the tables readable up to a level. A cancelled statement doesn't stop
// halfway between tables and names.
func (d *DB) attach(ctx context.Context, level Level) error {
	if level == Held {
		return nil
	}
	if err := d.from.attach(ctx, d); err != nil || level == Attached {
		return err
	}
	if err := d.checkBuild(ctx); err != nil || level == Checked || d.attached.named {
		return err
	}
	err := d.makeNames(context.WithoutCancel(ctx))
	d.attached.named = err == nil
	return err
}

// origin is where a DB's store tables come from: onDisk or elsewhere.
type origin interface {
	// wait returns when no other process waits to write to the file.
	wait(ctx context.Context, d *DB) error
	// isWanted reports whether a process waits to write to the file.
	isWanted(d *DB) bool
	// attach makes the tables readable, and detach detaches them. Calls never overlap.
	attach(ctx context.Context, d *DB) error
	detach(ctx context.Context, d *DB) error
}

// elsewhere is the origin of tables that a function makes, once.
type elsewhere struct {
	make func(context.Context, *DB) error // nil if the caller makes the tables
}

func (elsewhere) wait(context.Context, *DB) error   { return nil }
func (elsewhere) isWanted(*DB) bool                 { return false }
func (elsewhere) detach(context.Context, *DB) error { return nil }

func (e elsewhere) attach(ctx context.Context, d *DB) error {
	if e.make == nil || d.attached.is {
		return nil
	}
	err := e.make(context.WithoutCancel(ctx), d)
	d.attached.is = err == nil
	return err
}

// onDisk is the origin of tables in the user's file.
type onDisk struct{}

func (onDisk) wait(ctx context.Context, d *DB) error {
	return d.at.YieldToWriters(ctx, func() { _ = d.Detach(ctx) }) // a file that stayed attached
}

func (onDisk) isWanted(d *DB) bool { return d.at.HasWaitingWriter() }

func (onDisk) detach(ctx context.Context, d *DB) error {
	err := d.Exec(ctx, "DETACH DATABASE IF EXISTS store")
	if d.attached.is = err != nil; !d.attached.is && !d.attached.named {
		d.attached.checked = nil
	}
	return err
}

func (onDisk) attach(ctx context.Context, d *DB) error {
	now, err := os.Stat(d.at.Path)
	missing := errors.Is(err, fs.ErrNotExist)
	if d.attached.is && (store.SameFile(d.attached.file, now) || d.held.CountReaders() > 1) {
		return nil // callers that read already keep the old file
	}
	if d.attached.is {
		if err := d.from.detach(context.WithoutCancel(ctx), d); err != nil {
			return err
		}
	}
	if missing {
		err = d.attachEmpty(context.WithoutCancel(ctx))
	} else {
		err = d.attachFile(ctx)
	}
	if err != nil {
		return d.at.Explain(err)
	}
	d.attached.is, d.attached.file = true, now
	return nil
}

// attachFile attaches an existing file. It waits while another process of hindsql's
// writes.
func (d *DB) attachFile(ctx context.Context) error {
	return d.at.Retry(ctx, time.Now().Add(patienceOfReaders), func() error {
		return d.Exec(ctx, fmt.Sprintf("ATTACH %s AS store (READ_ONLY)", sqltext.Literal(d.at.Path)))
	})
}

func (d *DB) attachEmpty(ctx context.Context) error {
	if err := d.Exec(ctx, "ATTACH ':memory:' AS store"); err != nil {
		return err
	}
	err := d.Exec(ctx, TablesDDL(readers.WorktreesOf(d.Config().Readers)))
	if err != nil {
		err = errors.Join(err, d.from.detach(ctx, d))
	}
	return err
}

// checkBuild returns an error if another build wrote the tables. hindsql never converts
// a file: a sync replaces it.
func (d *DB) checkBuild(ctx context.Context) error {
	if (d.attached.named || d.attached.checked != nil) && store.SameFile(d.attached.checked, d.attached.file) {
		return nil
	}
	hash, err := d.SchemaHash(ctx)
	if err == nil && hash != tables.SchemaHash() {
		err = &store.OtherBuild{Path: d.at.Path}
	}
	if err == nil {
		d.attached.checked = d.attached.file
	}
	return err
}

// MarkChecked remembers that the attached file has this build's tables, so that checkBuild
// need not look.
func (d *DB) MarkChecked(ctx context.Context) error {
	return d.withAttachment(ctx, func() error {
		d.attached.checked = d.attached.file
		return nil
	})
}

// SchemaHash returns the schema hash of the build that wrote the attached store. A
// DuckDB file without a hash gives a [store.NotAStore].
func (d *DB) SchemaHash(ctx context.Context) (hash string, err error) {
	err = d.sql.QueryRowContext(ctx, "SELECT schema_hash FROM "+StoreSchema+".store_info").Scan(&hash)
	if err != nil && strings.Contains(err.Error(), "does not exist") {
		return "", &store.NotAStore{Path: d.at.Path, IsDuckDB: true}
	}
	return hash, err
}

// A writer tries to get the file during a window, a time in which no statement begins
// in any process. If the running statements don't end in the window, statements may
// begin again for 250 ms, and the writer tries another window. Each window is twice as
// long as the last, up to two seconds. So the writer gets the file even if statements
// of up to two seconds overlap all the time.
const (
	Window        = 250 * time.Millisecond
	PatienceOfAll = 5 * time.Second // of a writer in the middle of its work

	// Patience of readers while another process of hindsql's writes. The write ends by
	// itself, but on a busy machine a transaction and its links took more than 5 s.
	patienceOfReaders = time.Minute
)

// Turn says how long a writer waits for the file: its first window, and in total.
type Turn struct{ Window, Patience time.Duration }

// ClaimFile claims the file for a writer, in windows (see Window). In a window no
// statement begins, this process's DuckDB detaches the file, and attach is retried while
// another process has the file open. The error is a [*store.Held] if the patience ran
// out, or if a program other than hindsql holds the file.
func (d *DB) ClaimFile(ctx context.Context, t Turn, attach func() error) (release func(), err error) {
	deadline := time.Now().Add(t.Patience)
	for w := t.Window; ; w = min(2*w, store.LongestWindow) {
		err = d.tryClaim(ctx, time.Now().Add(w), attach)
		var held *store.Held
		if !errors.As(err, &held) || held.IsForeign() || time.Now().Add(Window).After(deadline) {
			return d.held.Unlock, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(Window):
		}
	}
}

func (d *DB) tryClaim(ctx context.Context, until time.Time, attach func() error) error {
	turn, err := d.at.LockTurn(ctx, until)
	if err != nil {
		return err
	}
	defer turn.Unlock()
	if err := d.held.Lock(ctx, until); err != nil {
		if ctx.Err() == nil { // the deadline of Lock passed
			err = &store.Held{Path: d.at.Path, PID: os.Getpid()}
		}
		return err
	}
	if err = d.Detach(ctx); err == nil {
		err = d.at.Retry(ctx, until, attach)
	}
	if err != nil {
		d.held.Unlock()
	}
	return err
}
